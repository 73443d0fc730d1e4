"""Deployment, but for CloudFormation itself: what SAM is asked, that nothing comes twice, what goes and what stays."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ClientError

from contracts import rules
from contracts.authoring.publication import in_force, unfit
from contracts.errors import DropgateError
from contracts.plan import Check
from functions.aws.catalog.s3_catalog import S3Catalog
from infra.cli.options.target import NOWHERE
from infra.deployment import deploy, destroy
from infra.local.cloud import Cloud
from infra.local.template.stack import deploy as deploy_embedded
from infra.local.template.template import parameters_of
from infra.packaging.bundles import ROOT, arrow, great_expectations
from infra.stack_admin import deployed
from infra.stack_admin.redrive import KINDS
from tests.builders import a_plan
from tests.unit.contracts.authoring.documents import a_document


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A stack in an embedded AWS of its own; its name."""
    with Cloud() as cloud:
        for name, value in {
            "AWS_ENDPOINT_URL": cloud.endpoint,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "deployer",
            "AWS_SECRET_ACCESS_KEY": "none",
        }.items():
            monkeypatch.setenv(name, value)
        name = f"deploy{uuid.uuid4().hex[:8]}"
        deploy_embedded(ROOT / "template.yaml", cache(boto3.client), "00dropgate01", name=name)
        yield name


def asked(*words: str) -> list[list[str]]:
    return list(deploy.commands(deploy._parser().parse_args(["up", *words])))


def test_sam_is_asked_to_build_and_to_deploy() -> None:
    build, step = asked("--stack", "drops", "--region", "eu-central-1", "--parameters", "WindowSeconds=30", "LogDays=7")

    assert build[1:] == ["build", "--template-file", "template.yaml"]
    assert step[1:4] == ["deploy", "--stack-name", "drops"]
    assert step[-5:] == ["--region", "eu-central-1", "--parameter-overrides", "WindowSeconds=30", "LogDays=7"]
    assert {"--no-fail-on-empty-changeset", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"} < set(step)


def test_code_is_brought_once(stack: str, tmp_path: Path) -> None:
    s3, names = boto3.client("s3"), deployed.environment(boto3.client("cloudformation"), stack)
    code = {names["DROPGATE_JOB_ARCHIVE"], names["DROPGATE_JOB_ENTRY"]}
    none = tmp_path / "none.tar.gz"

    assert set(deploy.bring_code(s3, names)) == code
    assert deploy.bring_code(s3, names, none) == []
    bucket, _, key = names["DROPGATE_JOB_ENTRY"].removeprefix("s3://").partition("/")
    s3.put_object(Bucket=bucket, Key=key, Body=b"print()")
    assert deploy.bring_code(s3, names, none) == [names["DROPGATE_JOB_ENTRY"]]
    built = [tmp_path / place("arm64").name for place in (great_expectations, arrow)]
    for number, place in enumerate(built):
        place.write_bytes(b"%d" % number)
    first, again = deploy.bring_code(s3, names, *built), deploy.bring_code(s3, names, *built)
    outputs = {"LandingBucket": "l", "PromotedBucket": "p", "InternalBucket": "i", "LedgerTable": "t"}
    outputs |= {"BatchQueueUrl": "q", "EmrApplication": "a", "JobRoleArn": "r", "DataKeyArn": "k"}
    given = {"WindowSeconds": "60", "MostDrops": "500", "MaximumConcurrentRuns": "15", "Architecture": "arm64"}
    named = deployed.variables(outputs, given | {"GreatExpectations": "true", "Arrow": "true"})
    folder = names["DROPGATE_JOB_ARCHIVE"].removesuffix("dropgate.zip")
    beside = [named[f"DROPGATE_JOB_{name}"].replace("s3://i/code/", folder) for name in ("ENVIRONMENT", "ARROW")]
    assert (first, again) == (beside, [])


def test_queues_are_found_in_the_stacks_within(stack: str) -> None:
    queue = {"Type": "AWS::SQS::Queue"}
    s3, cloudformation = boto3.client("s3"), boto3.client("cloudformation")
    s3.create_bucket(Bucket="templates")
    s3.put_object(Bucket="templates", Key="flow.json", Body=json.dumps({"Resources": {"LateDlq": queue}}).encode())
    url = "https://templates.s3.amazonaws.com/flow.json"
    nested = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": url}}
    body = json.dumps({"Resources": {"Flow": nested, "EarlyDlq": queue}})
    cloudformation.create_stack(StackName="whole", TemplateBody=body)

    urls = deployed.queues(cloudformation, "whole")
    assert urls.keys() == {"EarlyDlq", "LateDlq"}
    assert "whole-Flow" in urls["LateDlq"]
    assert deployed.queues(cloudformation, stack).keys() >= {kind.queue for kind in KINDS}


def test_broken_contract_stops_before_anything(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    (folder := tmp_path / "contracts").mkdir()  # type: ignore[operator]
    (folder / "a.v1.yaml").write_text("id: [", encoding="utf-8")

    assert deploy.main(["up", "--contracts", str(folder)]) == 3
    assert "Nothing was deployed." in capsys.readouterr().err


@pytest.mark.usefixtures("stack")
def test_contract_that_the_stack_could_not_judge_by_stops_before_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    implementation = "implementation: {type: expect_column_values_to_not_be_null, kwargs: {column: id}}"
    entry = f"- type: custom\n  engine: greatExpectations\n  {implementation}\n"
    (tmp_path / "orders.v1.yaml").write_text(a_document(quality=entry), encoding="utf-8")
    command = ["up", "--contracts", str(tmp_path), "--stack", "new", "--parameters", "GreatExpectations=false"]

    assert deploy.main(command) == 3
    assert "asks for Great Expectations, which the stack lacks" in (err := capsys.readouterr().err)
    assert err.endswith("Nothing was deployed.\n")


def test_contracts_of_others_are_withdrawn_only_when_contracts_are_named(stack: str) -> None:
    s3, names = boto3.client("s3"), deployed.environment(boto3.client("cloudformation"), stack)
    store = S3Catalog(s3, names["DROPGATE_CATALOG"])
    theirs, ours = a_plan("orders.v1", ["orders/*.csv"]), a_plan("shops.v1", ["shops/*.csv"])

    assert "new        orders.v1" in deploy.put_in_force(store, [theirs], named=False)
    assert deploy.put_in_force(store, [ours], named=False) == (
        "contracts in force stay as they are (orders.v1); "
        "`make deploy CONTRACTS=PATH` or `dropgate publish` changes them"
    )
    assert in_force(store) == ("orders.v1",)
    assert "withdrawn  orders.v1" in deploy.put_in_force(store, [ours], named=True)
    assert in_force(store) == ("shops.v1",)


def test_tables_are_published_to_functions_of_any_cpu(stack: str) -> None:
    names = deployed.environment(boto3.client("cloudformation"), stack)

    assert unfit([a_plan("orders.v1", ["orders/*.csv"], promote="table")], names) is None


def test_contracts_that_the_stack_cannot_judge_are_not_published(stack: str) -> None:
    s3, names = boto3.client("s3"), deployed.environment(boto3.client("cloudformation"), stack)
    check = Check("e", rules.Expectation("expect_x", {}, "values"), "set", "error", "accuracy", "")
    plan = replace(a_plan("orders.v1", ["orders/*.csv"]), checks=(check,))
    why = unfit([plan], names)

    assert why
    assert why.startswith("orders.v1 asks for Great Expectations, which the stack lacks: run `make build GX=1`")
    assert unfit([plan], {"DROPGATE_JOB_ENVIRONMENT": "s3://b/code/gx.tar.gz"}) is None
    with pytest.raises(DropgateError, match="asks for Great Expectations"):
        deploy.put_in_force(S3Catalog(s3, names["DROPGATE_CATALOG"]), [plan], named=True, lacking=why)


def test_stack_is_told_of_the_archive_that_was_built(tmp_path: Path) -> None:
    def place(cpu: str) -> Path:
        return tmp_path / f"{cpu}.tar.gz"

    there = {"Architecture": "arm64", "GreatExpectations": "true"}
    assert deploy.with_expectations({}, {}, place) == []
    assert deploy.with_expectations({}, there, place) == []  # it was brought before
    for given, has in (({"GreatExpectations": "true"}, {}), ({"Architecture": "x86_64"}, there)):
        with pytest.raises(DropgateError, match=r"run `make build GX=1` first. Nothing was deployed."):
            deploy.with_expectations(given, has, place)
    place("arm64").write_bytes(b"1")
    assert deploy.with_expectations({}, {}, place) == ["GreatExpectations=true"]
    assert deploy.with_expectations({"GreatExpectations": "false"}, there, place) == []


def test_stack_has_arrow_unless_it_is_told_not_to() -> None:
    assert deploy.with_arrow({}) == ["Arrow=true"]
    assert deploy.with_arrow({"Arrow": "false"}) == []


def test_unreadable_catalog_is_said_and_left(stack: str) -> None:
    s3, names = boto3.client("s3"), deployed.environment(boto3.client("cloudformation"), stack)
    store = S3Catalog(s3, names["DROPGATE_CATALOG"])
    store.swap("current.json", b"{", None)

    with pytest.raises(DropgateError, match=r"What is in force cannot be read: .* puts others in force"):
        deploy.put_in_force(store, [a_plan("orders.v1", ["orders/*.csv"])], named=False)
    assert store.get("current.json") is not None


def test_second_deployment_builds_for_the_cpu_of_the_stack() -> None:
    has = {"Architecture": "x86_64"}
    assert deploy.surroundings({}, has)["ARCHITECTURE"] == "x86_64"
    assert deploy.surroundings({"Architecture": "arm64"}, has)["ARCHITECTURE"] == "arm64"
    assert deploy.surroundings({}, {}).get("ARCHITECTURE") == os.environ.get("ARCHITECTURE")


def test_former_default_that_stays_is_told(stack: str) -> None:
    cloudformation = boto3.client("cloudformation")
    body = json.dumps(
        {
            "Parameters": {
                "MostDrops": {"Type": "Number", "Default": 7},
                "LogDays": {"Type": "Number", "Default": 7},
                "WindowSeconds": {"Type": "Number", "Default": 60},
            },
            "Resources": {"OneQueue": {"Type": "AWS::SQS::Queue"}},
        }
    )
    cloudformation.create_stack(
        StackName="older", TemplateBody=body, Parameters=[{"ParameterKey": "LogDays", "ParameterValue": "90"}]
    )
    former = deployed.described(cloudformation, "older")

    default = parameters_of(deploy.TEMPLATE)["MostDrops"]["Default"]
    (sentence,) = deploy.staying(cloudformation, former, {})
    assert sentence.startswith(f"MostDrops stays '7', the former default; it is '{default}' now: PARAMETERS=")
    assert deploy.staying(cloudformation, former, {"MostDrops": "7"}) == []
    assert deploy.staying(cloudformation, deployed.described(cloudformation, stack), {}) == []
    assert deploy.staying(cloudformation, deployed.described(cloudformation, "none"), {}) == []


def test_stack_that_never_came_to_be_is_to_be_destroyed_first() -> None:
    with pytest.raises(DropgateError, match="is in ROLLBACK_COMPLETE, from which it can only be deleted: run `make"):
        deploy.fit_for_update("drops", {"StackStatus": "ROLLBACK_COMPLETE"})
    deploy.fit_for_update("drops", {"StackStatus": "UPDATE_ROLLBACK_COMPLETE"})
    deploy.fit_for_update("drops", None)


def test_stack_without_outputs_can_be_destroyed(stack: str, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    body = json.dumps({"Resources": {"OneQueue": {"Type": "AWS::SQS::Queue"}}})
    boto3.client("cloudformation").create_stack(StackName="halfway", TemplateBody=body)

    assert deploy.main(["down", "--stack", "halfway"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "deleted the stack halfway",
        "kept: nothing, as there was nothing",
    ]


def test_attached_policy_stops_before_anything_is_deleted(stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    iam, cloudformation = boto3.client("iam"), boto3.client("cloudformation")
    arns = [t.name for t in deployed.resources(cloudformation, stack) if t.kind == "AWS::IAM::ManagedPolicy"]
    assert len(arns) == 9
    iam.create_user(UserName="ann")
    iam.attach_user_policy(UserName="ann", PolicyArn=arns[0])

    assert deploy.main(["down", "--stack", stack]) == 3
    message = f"dropgate: Detach first, or CloudFormation cannot delete: {arns[0]} is attached to user ann. Nothing was"
    assert capsys.readouterr().err.startswith(message)
    assert deployed.described(cloudformation, stack)
    iam.detach_user_policy(UserName="ann", PolicyArn=arns[0])
    assert deploy.main(["down", "--stack", stack]) == 0


def test_deletion_that_broke_off_goes_on(stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = deployed.environment(boto3.client("cloudformation"), stack)
    landing = names["DROPGATE_LANDING"].removeprefix("s3://").removesuffix("/")
    boto3.client("s3").put_object(Bucket=landing, Key="orders/1.csv", Body=b"1")
    assert deploy.main(["down", "--stack", stack]) == 0
    capsys.readouterr()

    assert deploy.main(["down", "--stack", stack]) == 3
    assert capsys.readouterr().err == f"dropgate: There is no stack {stack} in us-east-1.\n"
    assert deploy.main(["down", "--stack", stack, "--with-data"]) == 3
    assert landing in capsys.readouterr().err
    for line in ("deleted the bucket {}", "{} had gone before"):
        assert deploy.main(["down", "--stack", stack, "--with-data", "--confirm", stack]) == 0
        assert line.format(landing) in capsys.readouterr().out.splitlines()
    assert names["DROPGATE_TABLE"] not in boto3.client("dynamodb").list_tables()["TableNames"]


def test_stacks_within_that_keep_data_go_with_it(stack: str) -> None:  # noqa: ARG001
    s3, cloudformation = boto3.client("s3"), boto3.client("cloudformation")
    s3.create_bucket(Bucket="others")
    kept = {"Type": "AWS::S3::Bucket", "DeletionPolicy": "Retain", "Properties": {"BucketName": "kept-within"}}
    s3.put_object(Bucket="others", Key="storage.json", Body=json.dumps({"Resources": {"Kept": kept}}).encode())
    url = {"TemplateURL": "https://others.s3.amazonaws.com/storage.json"}
    nested = {"Type": "AWS::CloudFormation::Stack", "DeletionPolicy": "Retain", "Properties": url}
    cloudformation.create_stack(StackName="outer", TemplateBody=json.dumps({"Resources": {"Storage": nested}}))

    assert deploy.main(["down", "--stack", "outer"]) == 0
    assert s3.head_bucket(Bucket="kept-within")
    assert deploy.main(["down", "--stack", "outer", "--with-data", "--confirm", "outer"]) == 0
    with pytest.raises(ClientError, match=r"404|NoSuchBucket"):
        s3.head_bucket(Bucket="kept-within")
    assert not [one for one in cloudformation.describe_stacks()["Stacks"] if "Storage" in one["StackName"]]


class Refusing:
    """An S3 that lists an object and answers 200 to a request to delete it, which it has refused."""

    def get_paginator(self, _: str) -> Refusing:
        return self

    def paginate(self, **_: str) -> list[dict[str, object]]:
        return [{"Versions": [{"Key": "orders/1.csv", "VersionId": "v1"}]}]

    def delete_objects(self, **_: object) -> dict[str, object]:
        return {"Errors": [{"Key": "orders/1.csv", "Code": "AccessDenied", "Message": "locked"}]}


def test_objects_that_s3_did_not_delete_are_told() -> None:
    with pytest.raises(DropgateError, match=r"1 objects of drops \(orders/1.csv: AccessDenied, locked\)"):
        destroy.empty(Refusing(), "drops")


class Refilled(Refusing):
    """An S3 into whose bucket somebody writes while it is emptied, as S3 itself does with access logs."""

    def delete_objects(self, **_: object) -> dict[str, object]:
        return {}

    def delete_bucket(self, **_: object) -> None:
        raise ClientError({"Error": {"Code": "BucketNotEmpty", "Message": "not empty"}}, "DeleteBucket")


def test_bucket_that_is_written_to_meanwhile_is_told() -> None:
    with pytest.raises(
        DropgateError, match=r"logs was written to while it was emptied: S3 delivers access logs .* Run it again"
    ):
        destroy.empty(Refilled(), "logs")


def test_bucket_of_access_logs_goes_last_and_nothing_of_ours_is_left(
    stack: str, capsys: pytest.CaptureFixture[str]
) -> None:
    s3, cloudformation = boto3.client("s3"), boto3.client("cloudformation")
    made = {t.logical_id: t.name for t in deployed.resources(cloudformation, stack) if t.kind == "AWS::S3::Bucket"}
    for key in ("stage/orders.v1/1.csv", "catalog/current.json"):
        for body in (b"1", b"2"):
            s3.put_object(Bucket=made["InternalBucket"], Key=key, Body=body)
        s3.delete_object(Bucket=made["InternalBucket"], Key=key)

    assert deploy.main(["down", "--stack", stack, "--with-data", "--confirm", stack]) == 0
    emptied = [line.rpartition(" ")[2] for line in capsys.readouterr().out.splitlines() if "deleted the bucket" in line]
    assert (set(emptied), emptied[-1]) == (set(made.values()), made["LogsBucket"])


def test_data_stays_where_the_stack_goes(stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = deployed.environment(boto3.client("cloudformation"), stack)

    assert deploy.main(["down", "--stack", stack]) == 0
    tables = f"the table {names['DROPGATE_TABLE']}, the table {names['DROPGATE_NOTICES_TABLE']}"
    assert f"{tables}, the key" in capsys.readouterr().out
    assert boto3.client("s3").head_bucket(Bucket=names["DROPGATE_PROMOTED"].split("/")[2])
    assert names["DROPGATE_TABLE"] in boto3.client("dynamodb").list_tables()["TableNames"]


def test_data_goes_only_when_it_is_said_twice(stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    s3, names = boto3.client("s3"), deployed.environment(boto3.client("cloudformation"), stack)
    landing = names["DROPGATE_LANDING"].removeprefix("s3://").removesuffix("/")
    for body in (b"1", b"2"):
        s3.put_object(Bucket=landing, Key="orders/1.csv", Body=body)
    s3.delete_object(Bucket=landing, Key="orders/1.csv")

    assert deploy.main(["down", "--stack", stack, "--with-data"]) == 3
    assert f"add --confirm {stack} to confirm. Nothing was deleted." in capsys.readouterr().err
    assert s3.head_bucket(Bucket=landing)
    assert deploy.main(["down", "--stack", stack, "--with-data", "--confirm", stack]) == 0
    with pytest.raises(ClientError, match=r"404|NoSuchBucket"):
        s3.head_bucket(Bucket=landing)
    assert names["DROPGATE_TABLE"] not in boto3.client("dynamodb").list_tables()["TableNames"]


def test_lack_of_a_region_is_said_before_anything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")

    assert [deploy.main([what]) for what in ("up", "down")] == [3, 3]
    assert capsys.readouterr().err.splitlines() == [f"dropgate: {NOWHERE} Nothing was done."] * 2


def test_stack_may_be_named_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert deploy._parser().parse_args(["up"]).stack == "dropgate"
    monkeypatch.setenv("DROPGATE_STACK", "drops")
    assert deploy._parser().parse_args(["up"]).stack == "drops"
    assert deploy._parser().parse_args(["up", "--stack", "other"]).stack == "other"


def test_unknown_stack_is_named(stack: str, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    assert deploy.main(["down", "--stack", "other"]) == 3
    assert capsys.readouterr().err == "dropgate: There is no stack other in us-east-1.\n"
