"""Builds small event logs, event by event, in Spark 4's form."""

import json


def app_start():
    return [
        {"Event": "SparkListenerLogStart", "Spark Version": "4.3.0"},
        {"Event": "SparkListenerApplicationStart", "App Name": "t", "App ID": "local-1", "Timestamp": 0, "User": "u"},
    ]


def job(job_id, group, start, end, stages):
    """Return the events of one job; ``stages``: (stage id, parents, [(launch, finish, cpu_ns)])."""
    events = [
        {
            "Event": "SparkListenerJobStart",
            "Job ID": job_id,
            "Submission Time": start,
            "Stage IDs": [stage_id for stage_id, _, _ in stages],
            "Properties": {"spark.jobGroup.id": group},
        }
    ]
    for stage_id, parents, tasks in stages:
        info = {
            "Stage ID": stage_id,
            "Stage Attempt ID": 0,
            "Stage Name": f"stage {stage_id}",
            "Number of Tasks": len(tasks),
            "Parent IDs": parents,
            "RDD Info": [],
        }
        if not tasks:
            continue  # skipped
        events.append({"Event": "SparkListenerStageSubmitted", "Stage Info": info})
        events += [task(stage_id, index, *times) for index, times in enumerate(tasks)]
        events.append({"Event": "SparkListenerStageCompleted", "Stage Info": {**info, "Completion Time": end}})
    events.append(
        {
            "Event": "SparkListenerJobEnd",
            "Job ID": job_id,
            "Completion Time": end,
            "Job Result": {"Result": "JobSucceeded"},
        }
    )
    return events


def task(stage_id, index, launch, finish, cpu_ns=0):
    return {
        "Event": "SparkListenerTaskEnd",
        "Stage ID": stage_id,
        "Stage Attempt ID": 0,
        "Task Type": "ResultTask",
        "Task End Reason": {"Reason": "Success"},
        "Task Info": {
            "Task ID": 1000 * stage_id + index,
            "Index": index,
            "Attempt": 0,
            "Launch Time": launch,
            "Finish Time": finish,
            "Executor ID": "driver",
            "Speculative": False,
        },
        "Task Metrics": {
            "Executor Run Time": finish - launch,
            "Executor CPU Time": cpu_ns,
            "Shuffle Read Metrics": {"Remote Bytes Read": 1, "Local Bytes Read": 2, "Total Records Read": 3},
            "Shuffle Write Metrics": {"Shuffle Bytes Written": 4, "Shuffle Records Written": 5},
            "Input Metrics": {"Bytes Read": 6, "Records Read": 7},
        },
    }


def write_log(path, events):
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path
