"""Takes what identifies a machine or user out of an event log and plans: paths, host, address, user, environment.

Times, counts, plans and names of RDDs and operators stay; so does everything the replay reads.
"""

import re
from collections.abc import Iterable
from typing import Any

import orjson

from pim.errors import LoadError

_KEPT_SYSTEM_PROPERTIES = re.compile(r"^(java\.(version|vm\.|vendor$|specification)|os\.|file\.encoding|scala\.)")
_USER_KEYS = frozenset({"User", "user.name"})
_HOST_KEYS = frozenset({"Host", "Host Name", "spark.driver.host", "spark.driver.bindAddress"})
_ABSOLUTE = re.compile(r"(?<![\w.<>/])/(?:root|home|tmp|usr|opt|var|work|mnt|data|private|Users)(?:/[^\s\"':,;)\]]*)?")


class Scrubber:
    """Replaces known roots and names by placeholders.

    Parameters
    ----------
    roots : iterable of (str, str)
        Absolute paths and their placeholders; longer paths are replaced first.
    names : iterable of str
        Host names, addresses and the like, replaced by ``<host>`` wherever they stand as a word.
    """

    def __init__(self, roots: Iterable[tuple[str, str]], names: Iterable[str]) -> None:
        known = {path: mark for path, mark in roots if len(path) > 1}
        self._roots = sorted(known.items(), key=lambda item: -len(item[0]))
        words = sorted({name for name in names if len(name) > 3 and name != "localhost"}, key=len, reverse=True)
        self._names = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, words))})(?![\w-])") if words else None

    def text(self, text: str) -> str:
        """Return ``text`` with placeholders."""
        for path, mark in self._roots:
            text = text.replace(path, mark)
        text = _ABSOLUTE.sub("<path>", text)
        return self._names.sub("<host>", text) if self._names else text

    def value(self, value: Any) -> Any:
        """Return a JSON value with every string, also keys, scrubbed."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return {self.text(key): self._field(key, item) for key, item in value.items()}
        return value

    def _field(self, key: str, item: Any) -> Any:
        if key in _USER_KEYS:
            return "<user>"
        if key in _HOST_KEYS:
            return "<host>"
        return self.value(item)

    def event_log(self, lines: Iterable[bytes], where: str) -> bytes:
        """Return a plain event log with every line scrubbed and the environment reduced to Spark's own settings."""
        out = []
        for number, line in enumerate(lines, start=1):
            try:
                event = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise LoadError(f"event log {where}, line {number}: not JSON: {error}") from error
            if event.get("Event") == "SparkListenerEnvironmentUpdate":
                event = _environment(event)
            out.append(orjson.dumps(self.value(event)))
        return b"\n".join(out) + b"\n"


def _environment(event: dict[str, Any]) -> dict[str, Any]:
    """Return an environment event without the system's, Hadoop's and the class path's entries."""
    system = event.get("System Properties", {})
    kept = {key: value for key, value in system.items() if _KEPT_SYSTEM_PROPERTIES.match(key)}
    jvm = {key: value for key, value in event.get("JVM Information", {}).items() if key != "Java Home"}
    return {
        **event,
        "JVM Information": jvm,
        "System Properties": kept,
        "Hadoop Properties": {},
        "Classpath Entries": {},
    }
