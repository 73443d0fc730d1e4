"""The EMR Serverless double, asked by boto3's own client: tokens, states, queue, refusals, events, their faults."""

import json
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from infra.local.cloud import Cloud
from infra.local.emr.job_events import EventFaults
from infra.local.emr.run import JobSpec
from infra.local.emr.runs import STOP_SECONDS
from infra.local.emr.server import EmrServerless
from infra.local.emr.spark_parameters import JAVA_VARIABLES
from infra.local.events.events import deliver

APPLICATION = "00dropgate000001"
ROLE = "arn:aws:iam::123456789012:role/dropgate-job"
ENTRY = "s3://internal/jobs/validate.py"
ARCHIVE = "s3://internal/jobs/dropgate.zip"
JAVA = "-XX:-DontCompileHugeMethods"
PARAMETERS = {
    "spark.submit.pyFiles": ARCHIVE,
    "spark.driver.extraJavaOptions": JAVA,
    "spark.executor.extraJavaOptions": JAVA,
    "spark.executor.cores": "2",
    "spark.executor.memory": "6g",
    "spark.dynamicAllocation.maxExecutors": "4",
    "spark.sql.shuffle.partitions": "8",
}


PACKAGES = {
    "spark.archives": f"{ARCHIVE}#environment",
    "spark.emr-serverless.driverEnv.PYTHONPATH": "./environment",
    "spark.executorEnv.PYTHONPATH": "./environment",
}
TWO = {
    "spark.archives": f"{ARCHIVE}#environment,{ARCHIVE}#arrow",
    "spark.emr-serverless.driverEnv.PYTHONPATH": "./environment:./arrow",
    "spark.executorEnv.PYTHONPATH": "./environment:./arrow",
}


def written(parameters: dict[str, str]) -> str:
    """Write Spark parameters as spark-submit reads them."""
    return " ".join(f"--conf {name}={value}" for name, value in parameters.items())


SUBMITTED = written({"spark.driver.extraJavaOptions": JAVA, "spark.executor.extraJavaOptions": JAVA})


def client(service: str, endpoint: str) -> Any:
    """Make a client that tries once."""
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="batch-due",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}),
    )


class World:
    """The double with a job that waits where told to, and everything that it was handed or said."""

    def __init__(self, at_once: int = 1) -> None:
        self.jobs: list[JobSpec] = []
        self.events: list[dict[str, Any]] = []
        self.gate = threading.Event()
        self.gate.set()
        there = {ENTRY, ARCHIVE}.__contains__
        self.emr = EmrServerless(self.run_job, there, self.events.append, max_concurrent_runs=at_once).start()
        self.client = client("emr-serverless", self.emr.endpoint)

    def run_job(self, job: JobSpec) -> None:
        """Play the job: one named `crash` raises."""
        self.jobs.append(job)
        self.gate.wait(5)
        if job.name == "crash":
            raise OSError("s3://stage/a.csv: no such file " + "x" * 400)

    def start(self, token: str = "b1-1", spark: dict[str, str] | None = None, **more: Any) -> str:
        """Start a run as dropgate does."""
        conf = written(PARAMETERS | (spark or {}))
        submit = {"entryPoint": ENTRY, "entryPointArguments": ["--request", "s3://r"], "sparkSubmitParameters": conf}
        request = {"clientToken": token, "name": token, "executionRoleArn": ROLE, "jobDriver": {"sparkSubmit": submit}}
        return str(self.client.start_job_run(applicationId=APPLICATION, **(request | more))["jobRunId"])

    def run(self, run_id: str) -> dict[str, Any]:
        """Ask for a run."""
        return dict(self.client.get_job_run(applicationId=APPLICATION, jobRunId=run_id)["jobRun"])

    def wait_for(self, run_id: str, state: str) -> dict[str, Any]:
        """Ask for a run until it is in a state."""
        for _ in range(500):
            run = self.run(run_id)
            if run["state"] == state:
                return run
            time.sleep(0.01)
        raise AssertionError(run)

    def states(self, run_id: str) -> list[str]:
        """Give the states that events told of a run, in the order of their arrival."""
        return [event["detail"]["state"] for event in self.events if event["detail"]["jobRunId"] == run_id]


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.gate.set()
    made.emr.stop()


def refusal(world: World, **request: Any) -> tuple[str, str]:
    """Give code and message of a refused start."""
    with pytest.raises(ClientError) as caught:
        world.start(**request)
    error: dict[str, str] = caught.value.response["Error"]  # type: ignore[assignment]
    return error["Code"], error["Message"]


def test_job_gets_what_the_request_named(world: World) -> None:
    policy = {"policy": '{"Statement": []}'}
    run_id = world.start(tags={"contract": "orders.v1"}, executionIamPolicy=policy)
    world.wait_for(run_id, "SUCCESS")

    assert world.jobs == [
        JobSpec(
            token="b1-1",
            name="b1-1",
            entry_point=ENTRY,
            arguments=("--request", "s3://r"),
            py_files=(ARCHIVE,),
            archives=(),
            settings={"spark.sql.shuffle.partitions": "8"},
            execution_role=ROLE,
            iam_policy='{"Statement": []}',
            tags={"contract": "orders.v1"},
        )
    ]


# docs.aws.amazon.com/emr-serverless/latest/APIReference/API_StartJobRun.html: clientToken
def test_same_token_gives_the_same_run(world: World) -> None:
    first = world.start("b1-1")
    world.wait_for(first, "SUCCESS")

    assert (world.start("b1-1"), len(world.jobs)) == (first, 1)
    assert world.start("b1-2") != first


def test_run_passes_through_the_states(world: World) -> None:
    run_id = world.start()
    world.wait_for(run_id, "SUCCESS")

    assert world.states(run_id) == ["SUBMITTED", "PENDING", "SCHEDULED", "RUNNING", "SUCCESS"]


# docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/applications-concurrency-queuing.html
def test_second_run_queues_behind_the_first(world: World) -> None:
    world.gate.clear()
    first, second = world.start("b1-1"), world.start("b2-1")
    world.wait_for(first, "RUNNING")
    assert world.run(second)["state"] == "QUEUED"

    world.gate.set()
    world.wait_for(second, "SUCCESS")
    assert world.states(second) == ["SUBMITTED", "QUEUED", "PENDING", "SCHEDULED", "RUNNING", "SUCCESS"]


def test_raising_job_fails_with_short_details(world: World) -> None:
    run = world.wait_for(world.start(name="crash"), "FAILED")

    assert run["stateDetails"].startswith("Job failed. Exception: OSError: s3://stage/a.csv: no such file")
    assert len(run["stateDetails"]) == 256


def test_queued_run_is_cancelled_at_once(world: World) -> None:
    world.gate.clear()
    first, second = world.start("b1-1"), world.start("b2-1")
    world.client.cancel_job_run(applicationId=APPLICATION, jobRunId=second)
    assert world.run(second)["state"] == "CANCELLED"

    world.gate.set()
    world.wait_for(first, "SUCCESS")
    world.wait_for(world.start("b3-1"), "SUCCESS")
    assert [job.token for job in world.jobs] == ["b1-1", "b3-1"]


def test_running_run_is_cancelled_when_its_job_returns(world: World) -> None:
    world.gate.clear()
    run_id = world.start()
    world.wait_for(run_id, "RUNNING")
    world.client.cancel_job_run(applicationId=APPLICATION, jobRunId=run_id)
    assert world.run(run_id)["state"] == "CANCELLING"

    world.gate.set()
    world.wait_for(run_id, "CANCELLED")
    assert world.states(run_id)[-3:] == ["RUNNING", "CANCELLING", "CANCELLED"]


def test_ended_run_cannot_be_cancelled(world: World) -> None:
    run_id = world.start()
    world.wait_for(run_id, "SUCCESS")

    with pytest.raises(world.client.exceptions.ValidationException):
        world.client.cancel_job_run(applicationId=APPLICATION, jobRunId=run_id)


def test_unknown_run_and_application_are_not_found(world: World) -> None:
    with pytest.raises(world.client.exceptions.ResourceNotFoundException):
        world.run("0a0a")
    with pytest.raises(world.client.exceptions.ResourceNotFoundException):
        world.client.get_application(applicationId="0a0a")


@pytest.mark.parametrize(
    ("request_part", "complaint"),
    [
        ({"token": "b1/1"}, "clientToken"),
        ({"executionRoleArn": "arn:aws:s3:::not-a-role-at-all"}, "executionRoleArn"),
        ({"name": "n" * 257}, "name"),
        ({"executionIamPolicy": {"policy": "x" * 2049}}, "executionIamPolicy.policy"),
        ({"jobDriver": {"hive": {"query": "select 1"}}}, "jobDriver.sparkSubmit"),
        ({"jobDriver": {"sparkSubmit": {"entryPoint": "s3://internal/jobs/gone.py"}}}, "gone.py"),
        ({"jobDriver": {"sparkSubmit": {"entryPoint": "/local.py"}}}, "/local.py"),
        ({"executionTimeoutMinutes": 0}, "executionTimeoutMinutes"),
        ({"mode": "STREAMING"}, "batch"),
        ({"retryPolicy": {"maxAttempts": 2}}, "one attempt"),
        ({"configurationOverrides": {"applicationConfiguration": []}}, "applicationConfiguration"),
        ({"spark": {"spark.submit.pyFiles": "s3://internal/jobs/gone.zip"}}, "gone.zip"),
        ({"spark": {"spark.sql.shufle.partitions": "8"}}, "spark.sql.shufle.partitions"),
        ({"spark": {"spark.driver.extraJavaOptions": "-Dx=1"}}, "-Dx=1"),
        ({"spark": {"spark.hadoop.fs.s3a.performance.flags": "create"}}, "create,mkdir, not create"),
        ({"spark": {"spark.executor.extraJavaOptions": ""}}, "spark.executor.extraJavaOptions lacks"),
        ({"spark": {"spark.executorEnv.JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}}, "are both -XX:TieredStopAt"),
        ({"spark": dict.fromkeys(JAVA_VARIABLES, "-Xint")}, "are both -XX:TieredStopAt"),
        ({"spark": {"spark.executor.cores": "3"}}, "1, 2, 4, 8 or 16"),
        ({"spark": {"spark.archives": "s3://internal/jobs/gone.tgz"}}, "what spark.archives unpacks lies in ./."),
        ({"spark": PACKAGES | {"spark.archives": "s3://internal/jobs/gone.tgz#environment"}}, "gone.tgz"),
        ({"spark": PACKAGES | {"spark.executorEnv.PYTHONPATH": "./env"}}, "lies in ./environment"),
        ({"spark": {"spark.executorEnv.PYTHONPATH": "./environment"}}, "lies in no folder"),
        ({"spark": {"spark.executor.memory": "16g"}}, "within 4 and 16 GB"),
        ({"spark": {"spark.executor.memory": "15g", "spark.executor.memoryOverhead": "2g"}}, "within 4 and 16 GB"),
        ({"spark": {"spark.executor.memoryOverhead": "2048m"}}, "within 4 and 16 GB"),
        ({"spark": PACKAGES | TWO | {"spark.executorEnv.PYTHONPATH": "./environment"}}, "./environment:./arrow"),
    ],
)
def test_what_emr_or_the_double_refuses(request_part: dict[str, Any], complaint: str, world: World) -> None:
    code, message = refusal(world, **request_part)

    assert (code, complaint in message) == ("ValidationException", True), message
    assert world.client.list_job_runs(applicationId=APPLICATION)["jobRuns"] == []


def test_archives_of_packages_reach_the_job(world: World) -> None:
    world.wait_for(world.start(spark=PACKAGES), "SUCCESS")

    assert world.jobs[-1].archives == (ARCHIVE,)


def test_two_archives_reach_the_job_together(world: World) -> None:
    more = {"spark.executor.memory": "13g", "spark.executor.memoryOverhead": "3g"}
    world.wait_for(world.start(spark=TWO | more), "SUCCESS")

    assert world.jobs[-1].archives == (ARCHIVE, ARCHIVE)


def test_flag_other_than_conf_is_refused(world: World) -> None:
    submit = {"entryPoint": ENTRY, "sparkSubmitParameters": "--jars s3://internal/a.jar"}

    assert "--jars" in refusal(world, jobDriver={"sparkSubmit": submit})[1]


def test_list_filters_by_state_and_time(world: World) -> None:
    done, failed = world.start("b1-1"), world.start("b2-1", name="crash")
    world.wait_for(failed, "FAILED")

    def listed(**query: Any) -> list[str]:
        pages = world.client.get_paginator("list_job_runs").paginate(
            applicationId=APPLICATION, PaginationConfig={"PageSize": 1}, **query
        )
        return [run["id"] for page in pages for run in page["jobRuns"]]

    assert listed() == [failed, done]
    assert listed(states=["FAILED", "CANCELLED"]) == [failed]
    assert listed(createdAtAfter=datetime.now(UTC) + timedelta(minutes=1)) == []
    assert listed(createdAtBefore=datetime.now(UTC) + timedelta(minutes=1)) == [failed, done]


def test_answers_hold_all_required_members(world: World) -> None:
    run_id = world.start(tags={"a": "b"})
    run = world.wait_for(run_id, "SUCCESS")
    (summary,) = world.client.list_job_runs(applicationId=APPLICATION)["jobRuns"]
    application = world.client.get_application(applicationId=APPLICATION)["application"]
    model = world.client.meta.service_model

    assert set(model.shape_for("JobRun").required_members) <= run.keys()
    assert set(model.shape_for("JobRunSummary").required_members) <= summary.keys()
    assert set(model.shape_for("Application").required_members) <= application.keys()
    assert run["createdAt"] <= run["startedAt"] <= run["endedAt"] <= datetime.now(UTC)
    assert (application["releaseLabel"], run["tags"]) == ("emr-spark-8.1.0", {"a": "b"})


# docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/using-eventbridge.html
def test_event_holds_the_documented_detail(world: World) -> None:
    run_id = world.start()
    run = world.wait_for(run_id, "SUCCESS")
    event = world.events[-1]

    assert (event["source"], event["detail-type"]) == ("aws.emr-serverless", "EMR Serverless Job Run State Change")
    assert event["detail"] == {
        "jobRunId": run_id,
        "applicationId": APPLICATION,
        "arn": run["arn"],
        "releaseLabel": "emr-spark-8.1.0",
        "state": "SUCCESS",
        "previousState": "RUNNING",
        "createdBy": "arn:aws:iam::123456789012:user/batch-due",
        "updatedAt": run["updatedAt"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "createdAt": run["createdAt"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }


# docs.aws.amazon.com/eventbridge/latest/ref/events-ref-emr-serverless.html: best effort
def test_events_can_be_lost(world: World) -> None:
    world.emr.faults = EventFaults(lose=frozenset({"SUCCESS", "FAILED"}))
    run_id = world.start()
    world.wait_for(run_id, "SUCCESS")

    assert world.states(run_id) == ["SUBMITTED", "PENDING", "SCHEDULED", "RUNNING"]


def test_events_can_come_twice(world: World) -> None:
    world.emr.faults = EventFaults(repeat=2)
    run_id = world.start()
    world.wait_for(run_id, "SUCCESS")

    assert world.states(run_id)[-2:] == ["SUCCESS", "SUCCESS"]
    assert world.events[-1]["id"] == world.events[-2]["id"]


def test_events_can_come_after_the_end(world: World) -> None:
    world.emr.faults = EventFaults(delay=60)
    run_id = world.start()
    world.wait_for(run_id, "SUCCESS")

    assert world.states(run_id) == []


def test_late_events_come_at_last(world: World) -> None:
    world.emr.faults = EventFaults(delay=0.05)
    run_id = world.start()
    for _ in range(500):
        if len(world.states(run_id)) == 5:
            break
        time.sleep(0.01)

    assert sorted(world.states(run_id)) == ["PENDING", "RUNNING", "SCHEDULED", "SUBMITTED", "SUCCESS"]


def test_events_can_come_in_wrong_order(world: World) -> None:
    world.emr.faults = EventFaults(reorder=True)
    run_id = world.start()
    world.wait_for(run_id, "SUCCESS")

    assert world.states(run_id) == ["SUCCESS", "RUNNING", "SCHEDULED", "PENDING", "SUBMITTED"]


def test_event_reaches_the_queue_of_its_rule() -> None:
    with Cloud() as cloud, EmrServerless(lambda _: None, {ENTRY}.__contains__, deliver) as emr:
        sqs, events = client("sqs", cloud.endpoint), client("events", cloud.endpoint)
        queue = sqs.create_queue(QueueName="job-state-changed")["QueueUrl"]
        pattern = {"source": ["aws.emr-serverless"], "detail": {"state": ["SUCCESS", "FAILED"]}}
        events.put_rule(Name="job-state-changed", EventPattern=json.dumps(pattern))
        arn = "arn:aws:sqs:us-east-1:123456789012:job-state-changed"
        events.put_targets(Rule="job-state-changed", Targets=[{"Id": "queue", "Arn": arn}])
        submit = {"entryPoint": ENTRY, "sparkSubmitParameters": SUBMITTED}
        job = {"executionRoleArn": ROLE, "jobDriver": {"sparkSubmit": submit}}
        started = client("emr-serverless", emr.endpoint).start_job_run(applicationId=APPLICATION, **job)
        (message,) = sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=5)["Messages"]

    assert json.loads(message["Body"])["detail"]["jobRunId"] == started["jobRunId"]


def test_calls_are_kept_in_words_of_iam(world: World) -> None:
    run_id = world.start()
    world.run(run_id)
    application = "arn:aws:emr-serverless:us-east-1:123456789012:/applications/00dropgate000001"

    assert [(call.action, call.resource) for call in world.emr.calls] == [
        ("emr-serverless:StartJobRun", application),
        ("iam:PassRole", ROLE),
        ("emr-serverless:GetJobRun", f"{application}/jobruns/{run_id}"),
    ]


def test_stop_waits_once_for_all_that_is_at_work() -> None:
    world = World(at_once=4)
    world.gate.clear()
    for n in range(4):
        world.wait_for(world.start(f"b{n}-1"), "RUNNING")
    began = time.monotonic()
    world.emr.stop()
    took = time.monotonic() - began
    world.gate.set()

    assert took < 2 * STOP_SECONDS


def test_stop_leaves_queued_runs_alone(world: World) -> None:
    world.gate.clear()
    world.start("b1-1")
    world.start("b2-1")
    threading.Timer(0.1, world.gate.set).start()
    world.emr.stop()

    assert [job.token for job in world.jobs] == ["b1-1"]
