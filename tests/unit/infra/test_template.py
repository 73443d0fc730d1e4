"""The templates hold to what linters do not see: limits, dead-letter queues, least privilege, the ledger's shape."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import pytest

from functions.events.shape import MOST_BYTES, WORDS
from functions.handlers.counting import METRICS, MISSED, MISSING, RECEIVED
from functions.keys import TRIAL, Zones
from functions.notices.occasions import OF_STATES
from infra.local.template.template import expand, of_type, statements_of
from infra.packaging.bundles import ROOT

TEMPLATE = expand(ROOT / "template.yaml", "us-east-1")
FUNCTIONS = of_type(TEMPLATE, "AWS::Lambda::Function")
QUEUES = of_type(TEMPLATE, "AWS::SQS::Queue")
BUCKETS = of_type(TEMPLATE, "AWS::S3::Bucket")
OF_TRIALS = tuple(
    uri.removeprefix("s3://b/")
    for uri in astuple(Zones("s3://l/", *(f"s3://b/{zone.name}/" for zone in fields(Zones)[1:])).of(trial=True))
    if uri.startswith("s3://b/") and uri.endswith(TRIAL)
)
"""The folders of trials in the internal bucket."""
RULES = of_type(TEMPLATE, "AWS::Events::Rule")
TABLE = TEMPLATE["Resources"]["LedgerTable"]
APPLICATION = TEMPLATE["Resources"]["EmrApplication"]["Properties"]
NETWORK = {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole"}
TELLING = ("NoticeEventFunction", "NoticesDueFunction")
"""The functions of notices, which have a template of their own, and know nothing of drops' places."""
MOST_ON_A_BUS, MOST_PUT = 10, 256 * 1024
"""Events that a pipe puts on a bus at once, and bytes of one PutEvents (EventBridge user guide)."""
JVM_FLAG = "-XX:-DontCompileHugeMethods"

Statement = Mapping[str, Any]


def actions(statement: Statement) -> list[str]:
    action = statement["Action"]
    return [action] if isinstance(action, str) else action


def resources(statement: Statement) -> str:
    return json.dumps(statement["Resource"])


def there(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements, also those that stand under a condition."""
    return [statement["Fn::If"][1] if "Fn::If" in statement else statement for statement in statements]


def role_statements(name: str) -> list[Statement]:
    policies = TEMPLATE["Resources"][name]["Properties"]["Policies"]
    return there([statement for policy in policies for statement in policy["PolicyDocument"]["Statement"]])


def all_statements() -> Iterator[tuple[str, Statement]]:
    for name in of_type(TEMPLATE, "AWS::IAM::Role"):
        yield from ((name, statement) for statement in role_statements(name))


def functions_that_may(action: str, place: str) -> set[str]:
    return {
        name
        for name, function in FUNCTIONS.items()
        for statement in there(statements_of(TEMPLATE, function["Properties"]))
        if action in actions(statement) and place in resources(statement)
    }


def condition(function: str, name: str) -> str:
    """Return the name of a condition where a function stands: no two templates share one."""
    return f"Notices{name}" if function in TELLING else name


def target_of(arn: Mapping[str, Any]) -> str:
    name: str = arn["Fn::GetAtt"][0]
    return name


FILES = ["template.yaml", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "infra" / "aws").glob("*.yaml"))]
SERVERLESS = ["cfn-lint", "-a", "cfn_lint_serverless.rules", "--", *FILES]


@pytest.mark.parametrize("command", [SERVERLESS, ["sam", "validate", "--lint"]], ids=lambda c: c[0])
def test_linters_find_nothing(command: list[str], tmp_path: Path) -> None:
    program, *arguments = command
    home = {"HOME": str(tmp_path), "SAM_CLI_TELEMETRY": "0", "AWS_EC2_METADATA_DISABLED": "true"}
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}

    done = subprocess.run(
        [Path(sys.executable).parent / program, *arguments],
        cwd=ROOT,
        env=kept | home,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


# --- queues and events


@pytest.mark.parametrize("mapping", of_type(TEMPLATE, "AWS::Lambda::EventSourceMapping").values())
def test_polled_queue_outlasts_its_function(mapping: Mapping[str, Any]) -> None:
    properties = mapping["Properties"]
    queue = QUEUES[target_of(properties["EventSourceArn"])]["Properties"]
    function = FUNCTIONS[properties["FunctionName"]["Ref"]]["Properties"]

    assert properties["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert 1 <= properties["BatchSize"] <= 10
    assert queue["VisibilityTimeout"] >= 6 * function["Timeout"]
    assert queue["RedrivePolicy"]["maxReceiveCount"] >= 5
    assert function["Timeout"] <= 900


def test_every_polled_queue_has_its_own_dlq() -> None:
    polled = {name: queue["Properties"]["RedrivePolicy"] for name, queue in QUEUES.items() if not name.endswith("Dlq")}

    assert {name: target_of(policy["deadLetterTargetArn"]) for name, policy in polled.items()} == {
        "ObjectCreatedQueue": "ObjectCreatedDlq",
        "BatchDueQueue": "BatchDueDlq",
        "SmallStagedQueue": "SmallStagedDlq",
        "JobStateChangedQueue": "JobStateChangedDlq",
        "NoticeEventQueue": "NoticeEventDlq",
    }


@pytest.mark.parametrize("queue", QUEUES.values(), ids=QUEUES)
def test_queue_keeps_messages_two_weeks_encrypted(queue: Mapping[str, Any]) -> None:
    assert queue["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600
    assert queue["Properties"]["SqsManagedSseEnabled"] is True


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_target_has_retries_and_dlq(rule: Mapping[str, Any]) -> None:
    for target in rule["Properties"]["Targets"]:
        assert target_of(target["DeadLetterConfig"]["Arn"]) in QUEUES
        assert 60 <= target["RetryPolicy"]["MaximumEventAgeInSeconds"] <= 86400
        assert 0 <= target["RetryPolicy"]["MaximumRetryAttempts"] <= 185


def test_rules_may_write_to_their_queues() -> None:
    allowed = {
        (target_of(statement["Condition"]["ArnEquals"]["aws:SourceArn"]), target_of(arn))
        for policy in of_type(TEMPLATE, "AWS::SQS::QueuePolicy").values()
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        for arn in (statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]])
    }
    needed = {
        (name, target_of(arn))
        for name, rule in RULES.items()
        for target in rule["Properties"]["Targets"]
        for arn in (target["Arn"], target["DeadLetterConfig"]["Arn"])
        if target_of(arn) in QUEUES
    }

    assert allowed == needed


def test_rules_listen_to_landing_and_finished_runs() -> None:
    created = RULES["ObjectCreatedRule"]["Properties"]["EventPattern"]
    changed = RULES["JobStateChangedRule"]["Properties"]["EventPattern"]

    assert created["detail"]["bucket"]["name"] == [{"Ref": "LandingBucket"}]
    assert changed["detail"] == {
        "applicationId": [{"Ref": "EmrApplication"}],
        "state": ["SUCCESS", "FAILED", "CANCELLED"],
    }


def test_schedule_fires_every_minute() -> None:
    rules = [rule["Properties"] for rule in RULES.values() if "ScheduleExpression" in rule["Properties"]]

    assert [rule["ScheduleExpression"] for rule in rules] == ["rate(1 minute)"] * 2
    assert [target_of(rule["Targets"][0]["Arn"]) for rule in rules] == ["ScheduleFunction", "NoticesDueFunction"]


# --- functions


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {*TELLING}))
def test_every_function_of_the_flow_knows_every_place(name: str) -> None:
    zones = {"LANDING", "STAGE", "HELD", "PROMOTED", "EVIDENCE", "RESULTS", "REPORTS", "CATALOG", "JOBS"}
    others = {
        "DATA_KEY",
        "TABLE",
        "BATCH_QUEUE",
        "LANE_QUEUE",
        "LANE_BYTES",
        "ENDED_QUEUE",
        "WINDOW_SECONDS",
        "MOST_BATCHES",
        "MOST_DROPS",
        "MASK_EVIDENCE",
        "APPLICATION",
        "JOB_ROLE",
        "JOB_ENTRY",
        "JOB_ARCHIVE",
        "JOB_ENVIRONMENT",
        "JOB_ARROW",
    }
    variables = FUNCTIONS[name]["Properties"]["Environment"]["Variables"]

    assert {name.removeprefix("DROPGATE_") for name in variables if name.startswith("DROPGATE_")} == zones | others
    assert all(variables[f"DROPGATE_{zone}"]["Fn::Sub"].endswith("/") for zone in zones)
    assert {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE"} <= variables.keys()


@pytest.mark.parametrize("name", TELLING)
def test_functions_of_notices_know_routes_and_channels_alone(name: str) -> None:
    variables = FUNCTIONS[name]["Properties"]["Environment"]["Variables"]

    assert {name: value for name, value in variables.items() if name.startswith("DROPGATE_")} == {
        "DROPGATE_CATALOG": {"Fn::Sub": "s3://${InternalBucket}/catalog/"},
        "DROPGATE_NOTICES_TABLE": {"Ref": "NoticesTable"},
        "DROPGATE_SECRETS": {"Fn::Sub": "/${AWS::StackName}/notify/"},
        "DROPGATE_API": {"Fn::If": ["WithApi", {"Fn::GetAtt": ["Http", "Outputs.ApiUrl"]}, ""]},
        "DROPGATE_LINKS": {"Fn::Sub": "/${AWS::StackName}/links/"},
        "DROPGATE_MAIL_FROM": {"Ref": "MailFrom"},
        "DROPGATE_MAIL_SET": {"Fn::Sub": "${AWS::StackName}-mails"},
    }


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_every_function_is_traced_and_its_logs_end(function: Mapping[str, Any]) -> None:
    properties = function["Properties"]
    group = TEMPLATE["Resources"][properties["LoggingConfig"]["LogGroup"]["Ref"]]

    assert properties["Runtime"] == "python3.13"
    assert properties["Architectures"] == [{"Ref": "Architecture"}]
    assert properties["TracingConfig"] == {"Mode": "Active"}
    assert group["Properties"]["RetentionInDays"] == {"Ref": "LogDays"}


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("ObjectCreatedFunction", "handlers.object_created"),
        ("BatchDueFunction", "handlers.batch_due"),
        ("SmallStagedFunction", "lane.small_staged"),
        ("JobStateChangedFunction", "handlers.job_state_changed"),
        ("ScheduleFunction", "handlers.schedule"),
        ("HistoryWrittenFunction", "handlers.history_written"),
        ("NoticeEventFunction", "handlers.notice_event"),
        ("NoticesDueFunction", "handlers.notices_due"),
    ],
)
def test_handler_is_named_for_its_event(name: str, module: str) -> None:
    assert FUNCTIONS[name]["Properties"]["Handler"] == f"functions.{module}.handler"


# --- who may do what


def test_no_statement_is_open_ended() -> None:
    for role, statement in all_statements():
        assert statement["Effect"] == "Allow"
        assert not [action for action in actions(statement) if "*" in action], role
        # X-Ray has no resources (Service authorization reference, "Actions defined by AWS X-Ray").
        assert resources(statement) != '"*"' or statement["Sid"] == "Trace", role


@pytest.mark.parametrize(("name", "function"), FUNCTIONS.items(), ids=FUNCTIONS)
def test_every_function_has_its_own_role_queue_and_logs(name: str, function: Mapping[str, Any]) -> None:
    short = name.removesuffix("Function")
    role = TEMPLATE["Resources"][target_of(function["Properties"]["Role"])]["Properties"]
    granted = {one["Sid"]: one for one in there(statements_of(TEMPLATE, function["Properties"]))}
    polled = {"PollQueue": {"Fn::GetAtt": [f"{short}Queue", "Arn"]}} if f"{short}Queue" in QUEUES else {}

    assert target_of(function["Properties"]["Role"]) == f"{short}Role"
    assert role["ManagedPolicyArns"] == {"Fn::If": [condition(name, "InVpc"), [NETWORK], {"Ref": "AWS::NoValue"}]}
    assert granted["WriteLogs"]["Resource"] == {"Fn::GetAtt": [f"{short}Logs", "Arn"]}
    assert {sid: one["Resource"] for sid, one in granted.items() if sid == "PollQueue"} == polled


def test_functions_reserve_as_many_executions_as_their_queues_ask_for() -> None:
    asked = {
        mapping["Properties"]["FunctionName"]["Ref"]: mapping["Properties"]["ScalingConfig"]["MaximumConcurrency"]
        for mapping in of_type(TEMPLATE, "AWS::Lambda::EventSourceMapping").values()
    }
    asked["ScheduleFunction"] = FUNCTIONS["ScheduleFunction"]["Properties"]["Timeout"] // 60  # begun every minute
    asked["HistoryWrittenFunction"] = 10  # shards of the stream
    asked["NoticesDueFunction"] = FUNCTIONS["NoticesDueFunction"]["Properties"]["Timeout"] // 60
    reserved = {name: function["Properties"]["ReservedConcurrentExecutions"] for name, function in FUNCTIONS.items()}

    assert reserved == {
        name: {"Fn::If": [condition(name, "Reserved"), most, {"Ref": "AWS::NoValue"}]} for name, most in asked.items()
    }
    assert f"reserves {sum(asked.values())} of" in TEMPLATE["Parameters"]["ReserveConcurrency"]["Description"]


def test_functions_lie_where_the_workers_do_or_in_no_network() -> None:
    network = APPLICATION["NetworkConfiguration"]["Fn::If"][1]

    for name, function in FUNCTIONS.items():
        place = {"Fn::If": [condition(name, "InVpc"), network, {"Ref": "AWS::NoValue"}]}
        assert function["Properties"]["VpcConfig"] == place
    assert [TEMPLATE["Parameters"][name]["Default"] for name in ("FunctionsInVpc", "ReserveConcurrency")] == [
        "false"
    ] * 2


def test_only_door_and_clock_take_from_landing() -> None:
    assert functions_that_may("s3:DeleteObjectVersion", "LandingBucket") == {
        "ObjectCreatedFunction",
        "ScheduleFunction",
    }


def test_only_verdict_and_clock_write_promoted() -> None:
    assert functions_that_may("s3:PutObject", "PromotedBucket") == {"JobStateChangedFunction", "ScheduleFunction"}


def test_only_verdict_and_clock_withdraw_and_never_blindly() -> None:
    assert functions_that_may("s3:DeleteObject", "PromotedBucket") == {"JobStateChangedFunction", "ScheduleFunction"}
    withdrawing = [s for _, s in all_statements() if s.get("Sid") == "Withdraw"]
    assert [s["Condition"] for s in withdrawing] == [{"Null": {"s3:if-match": False}}] * 2


def test_job_deletes_nothing_from_promoted() -> None:
    deleting = {action for _, statement in all_statements() for action in actions(statement) if "Delete" in action}

    assert deleting == {"s3:DeleteObjectVersion", "s3:DeleteObject", "dynamodb:DeleteItem", "sqs:DeleteMessage"}
    of_job = [a for s in role_statements("JobRole") if "PromotedBucket" in resources(s) for a in actions(s)]
    assert of_job == ["s3:GetObject", "s3:ListBucket"]


def test_roles_erase_for_good_what_landed_and_receipts_and_results_alone() -> None:
    erasing = [resources(s) for _, s in all_statements() if "s3:DeleteObjectVersion" in actions(s)]

    assert len(erasing) == 5
    ours = ("InternalBucket}/reports/*", "InternalBucket}/results/*")
    assert [place for place in erasing if "InternalBucket" in place and not all(each in place for each in ours)] == []
    assert {place.count("InternalBucket") for place in erasing} == {0, 2}
    assert [place for place in erasing if "PromotedBucket" in place] == []


def test_job_role_alone_is_passed_to_emr() -> None:
    passing = [statement for _, statement in all_statements() if "iam:PassRole" in actions(statement)]

    assert len(passing) == 3
    for statement in passing:
        assert statement["Resource"] == {"Fn::GetAtt": ["JobRole", "Arn"]}
        assert statement["Condition"] == {"StringEquals": {"iam:PassedToService": "emr-serverless.amazonaws.com"}}


def test_job_cannot_change_its_own_code() -> None:
    writing = [statement for statement in role_statements("JobRole") if "s3:PutObject" in actions(statement)]
    variables = FUNCTIONS["BatchDueFunction"]["Properties"]["Environment"]["Variables"]

    assert all("/code/" in variables[name]["Fn::Sub"] for name in ("DROPGATE_JOB_ENTRY", "DROPGATE_JOB_ARCHIVE"))
    packages = ("DROPGATE_JOB_ENVIRONMENT", "DROPGATE_JOB_ARROW")
    assert all("/code/" in variables[name]["Fn::If"][1]["Fn::Sub"] for name in packages)
    assert not [statement for statement in writing if "/code/" in resources(statement)]


# --- alarms


ALARMS = {name: alarm["Properties"] for name, alarm in of_type(TEMPLATE, "AWS::CloudWatch::Alarm").items()}


def alarmed(namespace: str, metric: str) -> set[str]:
    """Return the resources that alarms on this metric watch."""
    return {
        dimension["Value"].get("Ref") or target_of(dimension["Value"])
        for alarm in ALARMS.values()
        if (alarm["Namespace"], alarm["MetricName"]) == (namespace, metric)
        for dimension in alarm["Dimensions"]
    }


def test_every_dead_letter_and_every_late_message_rings() -> None:
    dead = {name for name in QUEUES if name.endswith("Dlq")}

    assert alarmed("AWS/SQS", "ApproximateNumberOfMessagesVisible") == dead
    assert alarmed("AWS/SQS", "ApproximateAgeOfOldestMessage") == QUEUES.keys() - dead


def test_functions_and_ledger_ring_when_they_fail_or_may_not_run() -> None:
    assert alarmed("AWS/Lambda", "Errors") == FUNCTIONS.keys()
    one_at_a_time = {"ScheduleFunction", "NoticesDueFunction"}  # on purpose
    assert alarmed("AWS/Lambda", "Throttles") == FUNCTIONS.keys() - one_at_a_time
    assert alarmed("AWS/DynamoDB", "WriteThrottleEvents") == {"LedgerTable"}
    assert alarmed("AWS/EMRServerless", "PendingJobs") == {"EmrApplication", "AWS::StackName"}


def test_only_the_heartbeat_rings_when_nothing_is_heard() -> None:
    silent = {name for name, alarm in ALARMS.items() if alarm["TreatMissingData"] == "breaching"}

    assert silent == {"HeartbeatAlarm"}


def test_every_alarm_tells_the_same_topic_and_stands_on_the_dashboard() -> None:
    topic = {"Fn::If": ["OwnTopic", {"Ref": "AlarmTopic"}, {"Ref": "AlarmTopicArn"}]}
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()
    body = dashboard["Properties"]["DashboardBody"]["Fn::Sub"]
    text = json.loads(body[0] if isinstance(body, list) else body)
    (shown,) = (each["properties"]["alarms"] for each in text["widgets"] if each["type"] == "alarm")

    assert all(alarm["AlarmActions"] == alarm["OKActions"] == [topic] for alarm in ALARMS.values())
    assert {name.rpartition("}-")[2] for name in shown} == {name.removesuffix("Alarm") for name in ALARMS}
    assert all(alarm["AlarmName"]["Fn::Sub"].endswith(f"-{name[:-5]}") for name, alarm in ALARMS.items())


def test_every_alarm_is_explained_and_no_other() -> None:
    text = (ROOT / "docs" / "how-to" / "operations.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| alarm | meaning | what to do |")
    rows = re.findall(r"^\| ([A-Z][A-Za-z, ]+) \|", table.partition("\n\n")[0], re.MULTILINE)

    assert sorted(name for row in rows for name in row.split(", ")) == sorted(n.removesuffix("Alarm") for n in ALARMS)


def test_dashboard_shows_metrics_that_somebody_tells() -> None:
    (dashboard,) = of_type(TEMPLATE, "AWS::CloudWatch::Dashboard").values()
    body = dashboard["Properties"]["DashboardBody"]["Fn::Sub"]
    shown = {
        metric[1]
        for widget in json.loads(body[0] if isinstance(body, list) else body)["widgets"]
        for metric in widget["properties"].get("metrics", [])
        if metric[0] == "dropgate"
    }

    assert shown <= {
        *METRICS.values(),
        RECEIVED,
        MISSING,
        MISSED,
        "Heartbeat",
        "JobQueueMinutes",
        "OldestOpenMinutes",
        "Troubles",
        "MessagesFailing",
        "NoticesFailed",
        "MailsReturned",
    }


# --- data


LOGS, NOTHING = "LogsBucket", {"Ref": "AWS::NoValue"}
ALLOWING = {LOGS: ["S3WritesLogsOfOurBuckets"]}
"""What policies of buckets allow: all else is for the policies of who asks."""


@pytest.mark.parametrize("bucket", BUCKETS.values(), ids=BUCKETS)
def test_bucket_is_private_encrypted_and_kept(bucket: Mapping[str, Any]) -> None:
    properties = bucket["Properties"]

    assert (bucket["DeletionPolicy"], bucket["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert properties["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]
    assert any("AbortIncompleteMultipartUpload" in rule for rule in properties["LifecycleConfiguration"]["Rules"])


def test_every_bucket_refuses_plain_http_and_other_keys() -> None:
    policies = {one["Properties"]["Bucket"]["Ref"]: one for one in of_type(TEMPLATE, "AWS::S3::BucketPolicy").values()}

    assert policies.keys() == BUCKETS.keys()
    for bucket, policy in policies.items():
        statements = {one["Sid"]: one for one in policy["Properties"]["PolicyDocument"]["Statement"]}
        everybody = {(one["Effect"], one["Principal"]) for one in statements.values() if one["Principal"] == "*"}
        assert everybody == {("Deny", "*")}
        assert [sid for sid, one in statements.items() if one["Effect"] == "Allow"] == ALLOWING.get(bucket, [])
        assert statements["TlsOnly"]["Condition"] == {"Bool": {"aws:SecureTransport": False}}
        assert statements["ModernTlsOnly"]["Condition"] == {"NumericLessThan": {"s3:TlsVersion": 1.2}}
        assert bucket == LOGS or statements.keys() >= {"NoOtherEncryption", "NoOtherKey", "NoKeyOfTheUploader"}


def test_access_is_logged_unless_somebody_says_otherwise() -> None:
    logging = {name: each["Properties"].get("LoggingConfiguration") for name, each in BUCKETS.items()}
    there = {"Fn::If": ["OwnLogs", {"Ref": LOGS}, {"Ref": "AccessLogsBucket"}]}
    written = {
        name: {"Fn::If": ["LogAccess", {"DestinationBucketName": there, "LogFilePrefix": f"dropgate/{zone}/"}, NOTHING]}
        for name, zone in (("LandingBucket", "landing"), ("InternalBucket", "internal"), ("PromotedBucket", "promoted"))
    }

    assert logging == written | {LOGS: None}
    assert [TEMPLATE["Parameters"][name]["Default"] for name in ("AccessLogs", "AccessLogsBucket")] == ["true", ""]
    assert TEMPLATE["Conditions"]["LogAccess"] == {"Fn::Equals": [{"Ref": "AccessLogs"}, "true"]}


def test_one_key_encrypts_all_buckets_made_or_given() -> None:
    key = {"Fn::If": ["OwnKey", {"Fn::GetAtt": ["DataKey", "Arn"]}, {"Ref": "DataKeyArn"}]}
    rules = {
        name: each["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        for name, each in BUCKETS.items()
    }
    of_logs = rules.pop(LOGS)  # S3 writes them under a key of its own alone
    made = TEMPLATE["Resources"]["DataKey"]

    assert of_logs == [{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
    ours = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    assert list(rules.values()) == [[{"BucketKeyEnabled": True, "ServerSideEncryptionByDefault": ours}]] * 3
    assert (made["Condition"], made["DeletionPolicy"], made["Properties"]["EnableKeyRotation"]) == (
        "OwnKey",
        "RetainExceptOnCreate",
        True,
    )


def test_every_bucket_with_data_keeps_versions() -> None:
    kept = {name for name, bucket in BUCKETS.items() if "VersioningConfiguration" in bucket["Properties"]}

    assert kept == {"LandingBucket", "InternalBucket", "PromotedBucket"}


@pytest.mark.parametrize(
    "name", [name for name, one in BUCKETS.items() if "VersioningConfiguration" in one["Properties"]]
)
def test_versions_and_markers_end_as_one_rule_says(name: str) -> None:
    rules = BUCKETS[name]["Properties"]["LifecycleConfiguration"]["Rules"]
    ending = [rule.get("Prefix", "") for rule in rules if "NoncurrentVersionExpiration" in rule]
    (of_markers,) = [rule for rule in rules if "ExpiredObjectDeleteMarker" in rule]

    # Of rules that overlap S3 takes the shorter (user guide, "Resolving conflicts"); one with days says no markers.
    assert len(set(ending)) == len(ending)
    assert "" not in ending or set(ending) == {"", TRIAL} or ending == [""]
    assert (of_markers.get("Prefix", ""), "ExpirationInDays" in of_markers) == ("", False)


def test_noncurrent_work_goes_after_a_day_and_the_rest_by_parameter() -> None:
    rules = BUCKETS["InternalBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    days = {r["Prefix"]: r["NoncurrentVersionExpiration"]["NoncurrentDays"] for r in rules if "Prefix" in r}
    recovery = {"Ref": "RecoveryDays"}
    zones = {
        variables[name]["Fn::Sub"].partition("/")[2].partition("}/")[2]
        for variables in [FUNCTIONS["BatchDueFunction"]["Properties"]["Environment"]["Variables"]]
        for name in variables
        if "${InternalBucket}" in str(variables[name]) and variables[name].get("Fn::Sub", "").endswith("/")
    }

    assert days == dict.fromkeys(("stage/", "held/", "reports/", "results/", "catalog/", "code/"), recovery) | {
        "jobs/": 1,
        "evidence/": 1,
    } | dict.fromkeys(OF_TRIALS, 1)
    assert zones <= days.keys()


def test_what_expires_does_so_by_its_own_parameter() -> None:
    expiring = {
        (name, rule["Prefix"], rule["ExpirationInDays"]["Ref"])
        for name, bucket in BUCKETS.items()
        for rule in bucket["Properties"]["LifecycleConfiguration"]["Rules"]
        if "ExpirationInDays" in rule and TRIAL not in rule["Prefix"]
    }

    assert expiring == {
        ("InternalBucket", "stage/", "WorkDays"),
        ("InternalBucket", "jobs/", "WorkDays"),
        ("InternalBucket", "held/", "HeldDays"),
        ("InternalBucket", "reports/", "ReportDays"),
        ("InternalBucket", "results/", "ReportDays"),
        ("InternalBucket", "evidence/", "EvidenceDays"),
        ("LogsBucket", "dropgate/", "AccessLogDays"),
    }


def test_everything_of_a_trial_expires_after_a_day() -> None:
    ended = {
        (name, rule["Prefix"], rule["ExpirationInDays"], rule["NoncurrentVersionExpiration"]["NoncurrentDays"])
        for name, bucket in BUCKETS.items()
        for rule in bucket["Properties"]["LifecycleConfiguration"]["Rules"]
        if TRIAL in rule.get("Prefix", "")
    }

    assert ended == {("LandingBucket", TRIAL, 1, 1), *(("InternalBucket", folder, 1, 1) for folder in OF_TRIALS)}


def test_no_retention_ends_before_a_week() -> None:
    declared = TEMPLATE["Parameters"]
    names = ("WorkDays", "HeldDays", "ReportDays", "EvidenceDays", "NoncurrentDays", "RecoveryDays", "AccessLogDays")
    days = {name: declared[name] for name in names}

    assert {rules["MinValue"] for rules in days.values()} == {7}
    assert declared["EvidenceDays"]["Default"] == declared["ReportDays"]["Default"] == 365


def test_ledger_has_its_keys_and_indexes() -> None:
    properties = TABLE["Properties"]
    indexes = {
        index["IndexName"]: [key["AttributeName"] for key in index["KeySchema"]]
        for index in properties["GlobalSecondaryIndexes"]
    }

    assert [key["AttributeName"] for key in properties["KeySchema"]] == ["pk", "sk"]
    assert indexes == {"inflight": ["inflight", "changed_at"], "by_month": ["dataset_month", "received_at"]}
    assert {each["AttributeType"] for each in properties["AttributeDefinitions"]} == {"S"}
    assert properties["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}


def test_ledger_survives_mistakes() -> None:
    properties = TABLE["Properties"]

    assert (TABLE["DeletionPolicy"], TABLE["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    # Of the ledger's items only those of trials have this (`test_only_items_of_trials_expire`).
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}


def test_pipe_makes_an_event_of_each_history_item() -> None:
    (pipe,) = (pipe["Properties"] for pipe in of_type(TEMPLATE, "AWS::Pipes::Pipe").values())
    (pattern,) = pipe["SourceParameters"]["FilterCriteria"]["Filters"]

    assert json.loads(pattern["Pattern"]) == {
        "eventName": ["INSERT"],
        "dynamodb": {"Keys": {"sk": {"S": [{"prefix": "H#"}]}}},
    }
    assert pipe["SourceParameters"]["DynamoDBStreamParameters"]["StartingPosition"] == "TRIM_HORIZON"
    assert target_of(pipe["SourceParameters"]["DynamoDBStreamParameters"]["DeadLetterConfig"]["Arn"]) in QUEUES
    assert pipe["SourceParameters"]["DynamoDBStreamParameters"]["BatchSize"] == MOST_ON_A_BUS
    assert MOST_ON_A_BUS * MOST_BYTES < MOST_PUT
    assert target_of(pipe["Enrichment"]) == "HistoryWrittenFunction"
    assert pipe["TargetParameters"] == {
        "EventBridgeEventBusParameters": {"Source": "dropgate", "DetailType": "$.detail-type"},
        "InputTemplate": "<$.detail>",
    }


def test_pipe_and_its_function_may_do_what_they_do_and_no_more() -> None:
    granted = {
        action: target_of(statement["Resource"])
        for statement in role_statements("NoticesPipeRole")
        for action in actions(statement)
    }
    reading = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
    function = {one["Sid"]: one for one in statements_of(TEMPLATE, FUNCTIONS["HistoryWrittenFunction"]["Properties"])}
    places = function["ReadPlans"]["Resource"]

    assert granted == {
        **{f"dynamodb:{name}": "LedgerTable" for name in reading},
        "lambda:InvokeFunction": "HistoryWrittenFunction",
        "events:PutEvents": "NoticesBus",
        "sqs:SendMessage": "NoticesDlq",
    }
    assert function.keys() == {
        *("WriteLogs", "Trace", "UseDataKey", "ReadPlans", "TellMissingFromForbidden", "ReadDrops"),
    }
    assert [place["Fn::Sub"].partition("${InternalBucket}/")[2] for place in places] == [
        "catalog/current.json",
        "catalog/index/*",
        "catalog/plans/*",
    ]


def test_notices_reach_the_ledger_and_files_in_no_way() -> None:
    for name in TELLING:
        granted = {one["Sid"]: one for one in there(statements_of(TEMPLATE, FUNCTIONS[name]["Properties"]))}
        places = [
            place["Fn::Sub"].partition("${InternalBucket}/")[2] for place in granted["ReadWhatIsTold"]["Resource"]
        ]
        writing = {
            action for one in granted.values() for action in actions(one) if "Put" in action or "Delete" in action
        }

        assert {*places} - {"catalog/index/*"} == {"catalog/current.json", "catalog/routes/*", "reports/*/receipt.json"}
        assert not [one for one in granted.values() if "LedgerTable" in resources(one)]
        assert writing <= {"dynamodb:PutItem", "dynamodb:DeleteItem", "logs:PutLogEvents", "sqs:DeleteMessage"} | {
            *("xray:PutTraceSegments", "xray:PutTelemetryRecords")
        }
        assert granted["SendMail"]["Condition"] == {"StringEquals": {"ses:FromAddress": {"Ref": "MailFrom"}}}
        assert granted["ReadSecrets"]["Resource"]["Fn::Sub"].endswith(":parameter/${AWS::StackName}/notify/*")


def test_people_hear_of_the_events_that_have_an_occasion() -> None:
    pattern = RULES["NoticeEventRule"]["Properties"]["EventPattern"]
    back = RULES["MailReturnedRule"]["Properties"]["EventPattern"]
    mails = TEMPLATE["Resources"]["MailSet"]["Properties"]["Name"]
    events = TEMPLATE["Resources"]["MailSetEvents"]["Properties"]["EventDestination"]

    drops = {WORDS[state] for state in OF_STATES} - {"Missing", "Arrived", "Missed", "Met"}
    others = {"Files Missing", "Files Arrived", "Promise Missed", "Promise Met"}
    assert {*pattern["detail-type"]} == {f"Drop {word}" for word in drops} | others
    assert back["detail"]["mail"]["tags"] == {"ses:configuration-set": [mails]}
    assert [len(each) for each in (back["detail-type"], events["MatchingEventTypes"])] == [3, 3]


def test_notices_survive_mistakes_and_end() -> None:
    table = TEMPLATE["Resources"]["NoticesTable"]
    properties = table["Properties"]
    (index,) = properties["GlobalSecondaryIndexes"]

    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}
    assert [key["AttributeName"] for key in properties["KeySchema"]] == ["pk", "sk"]
    assert (index["IndexName"], index["Projection"]) == ("by_due", {"ProjectionType": "KEYS_ONLY"})
    assert [key["AttributeName"] for key in index["KeySchema"]] == ["due", "due_at"]


def test_events_can_be_replayed_for_days_that_a_parameter_says() -> None:
    (archive,) = (each["Properties"] for each in of_type(TEMPLATE, "AWS::Events::Archive").values())

    assert archive["SourceArn"] == {"Fn::GetAtt": ["NoticesBus", "Arn"]}
    assert archive["EventPattern"] == {"source": ["dropgate"]}
    assert archive["RetentionDays"] == {"Ref": "EventDays"}


# --- Spark


def test_application_keeps_within_the_services_limits() -> None:
    scheduler, stop = APPLICATION["SchedulerConfiguration"], APPLICATION["AutoStopConfiguration"]
    runs, waiting, idle = (
        TEMPLATE["Parameters"][value["Ref"]]
        for value in (scheduler["MaxConcurrentRuns"], scheduler["QueueTimeoutMinutes"], stop["IdleTimeoutMinutes"])
    )

    assert APPLICATION["Type"] == "SPARK"
    assert (runs["MinValue"], runs["MaxValue"]) == (1, 1000)
    assert (waiting["MinValue"], waiting["MaxValue"]) == (15, 720)
    assert (stop["Enabled"], idle["MinValue"], idle["MaxValue"]) == (True, 1, 10080)
    assert {"Cpu", "Memory"} <= APPLICATION["MaximumCapacity"].keys()
    assert "InitialCapacity" not in APPLICATION


def test_driver_and_executors_compile_large_methods() -> None:
    (defaults,) = APPLICATION["RuntimeConfiguration"]

    assert defaults["Classification"] == "spark-defaults"
    assert defaults["Properties"]["spark.driver.extraJavaOptions"] == JVM_FLAG
    assert defaults["Properties"]["spark.executor.extraJavaOptions"] == JVM_FLAG


def test_window_can_be_as_long_as_a_delay() -> None:
    window = TEMPLATE["Parameters"]["WindowSeconds"]

    assert (window["MinValue"], window["Default"], window["MaxValue"]) == (0, 60, 900)


def test_one_parameter_names_the_processor() -> None:
    architecture = TEMPLATE["Parameters"]["Architecture"]

    assert (architecture["Default"], architecture["AllowedValues"]) == ("arm64", ["arm64", "x86_64"])
    assert APPLICATION["Architecture"] == {"Fn::If": ["Arm", "ARM64", "X86_64"]}
