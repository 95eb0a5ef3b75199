"""What leaves the machine in a bundle: nothing that names it, everything that the replay reads."""

import orjson

from spark_traces.scrub import Scrubber

SCRUBBER = Scrubber(
    [("/home/ann", "<home>"), ("/home/ann/work", "<work>"), ("", "<never>")], ["node17", "ann-lee", "x"]
)


def test_longer_roots_win_and_other_absolute_paths_go():
    assert SCRUBBER.text("file:/home/ann/work/in.txt /home/ann/x /tmp/other/y, /usr/lib/jvm") == (
        "file:<work>/in.txt <home>/x <path>, <path>"
    )


def test_words_that_only_contain_a_name_stay():
    assert SCRUBBER.text("node17:7077 node170 mynode17 ann-lee x") == "<host>:7077 node170 mynode17 <host> x"


def test_quotients_and_classes_stay():
    text = "sum(a / b) at java.base/java.lang.Thread.run(Thread.java:840) 1/2 org/apache"
    assert SCRUBBER.text(text) == text


def test_host_and_user_fields_go_whatever_they_hold():
    value = {"User": "root", "Host": "10.0.0.7", "Executor Info": {"Host": "localhost", "Total Cores": 2}}
    assert SCRUBBER.value(value) == {
        "User": "<user>",
        "Host": "<host>",
        "Executor Info": {"Host": "<host>", "Total Cores": 2},
    }


def test_environment_keeps_sparks_settings_and_versions_only():
    event = {
        "Event": "SparkListenerEnvironmentUpdate",
        "JVM Information": {"Java Version": "17", "Java Home": "/usr/lib/jvm"},
        "Spark Properties": {"spark.master": "local[2]", "spark.local.dir": "/home/ann/work/l"},
        "Hadoop Properties": {"fs.key": "secret"},
        "System Properties": {"user.home": "/home/ann", "java.version": "17", "user.name": "ann", "env.TOKEN": "t"},
        "Classpath Entries": {"/home/ann/a.jar": "System Classpath"},
    }
    (line,) = SCRUBBER.event_log([orjson.dumps(event)], "log").splitlines()
    assert orjson.loads(line) == {
        "Event": "SparkListenerEnvironmentUpdate",
        "JVM Information": {"Java Version": "17"},
        "Spark Properties": {"spark.master": "local[2]", "spark.local.dir": "<work>/l"},
        "Hadoop Properties": {},
        "System Properties": {"java.version": "17"},
        "Classpath Entries": {},
    }
