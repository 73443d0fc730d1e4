"""`python -m infra.deploy up|down --stack NAME`: this checkout on AWS, brought there or taken away.

up: `sam build`, `sam deploy`, the job's code, and contracts where they are named or none are in force yet. What is
there already is left as it is, so that a second run of the same commit changes nothing. down: everything but the data;
with --with-data that, too, for good.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from contracts.authoring.linting import lint
from contracts.errors import DocumentInvalid, DropgateError
from contracts.plan import Plan
from functions.aws.answers import asking, code
from infra import bundles, deployed, parameters
from infra.catalog import CatalogStore, S3Catalog, in_force, publish
from infra.cli.lint import as_text
from infra.cli.publish import as_text as published
from infra.cli.target import NOWHERE
from infra.local.template import parameters_of

SAM = Path(sys.executable).with_name("sam")
TEMPLATE = bundles.ROOT / "template.yaml"
CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")
BUCKETS = ("LANDING", "STAGE", "PROMOTED")
"""The zones that lie in a bucket of their own, the internal one by its first."""


class NotDeployed(DropgateError):
    """A step of the deployment went wrong; the text says which, and what said why."""


def main(arguments: Sequence[str]) -> int:
    """Run as a program; the exit code is 3 where something went wrong."""
    options = _parser().parse_args(arguments)
    try:
        session = boto3.Session(profile_name=options.profile, region_name=options.region)
        if options.what == "up":
            up(options, session)
        else:
            down(options, session)
    except (DropgateError, BotoCoreError) as error:
        print(f"dropgate: {error}", file=sys.stderr)  # noqa: T201 (a program for the terminal)
        return 3
    return 0


def up(options: argparse.Namespace, session: Any) -> None:
    """Build, deploy, bring the job's code, put contracts in force.

    A parameter that the template does not take stops it before anything, and so does a contract that does not lint.
    """
    if said := parameters.wrong(parameters.read(options.parameters), parameters_of(TEMPLATE)):
        raise NotDeployed(f"{chr(10).join(said)}\nNothing was deployed. {TEMPLATE.name} says what each is for.")
    linted = lint((options.contracts or bundles.ROOT / "contracts",))
    if linted.failed or not linted.plans:
        raise NotDeployed(f"{as_text(linted)}\nNothing was deployed.")
    cloudformation = _cloudformation(session)
    for step in commands(options):
        _tell(" ".join(step[1:3]))
        if subprocess.run(step, cwd=bundles.ROOT, env=_surroundings(options), check=False).returncode != 0:
            raise NotDeployed(
                f"`{' '.join(step[:3])}` did not succeed; what it printed says why. What ran before, runs."
            )
    names = deployed.environment(cloudformation, options.stack)
    s3 = session.client("s3")
    for uri in bring_code(s3, names):
        _tell(f"brought {uri}")
    _tell(put_in_force(S3Catalog(s3, names["DROPGATE_CATALOG"]), linted.plans, named=options.contracts is not None))
    _tell(f"producers upload to {names['DROPGATE_LANDING']}")


def _cloudformation(session: Any) -> Any:
    if session.region_name is None:
        raise NotDeployed(f"{NOWHERE} Nothing was done.")
    return session.client("cloudformation")


def commands(options: argparse.Namespace) -> Iterator[list[str]]:
    """What SAM is asked to do."""
    where = [part for name in ("profile", "region") if (said := getattr(options, name)) for part in (f"--{name}", said)]
    given = ["--parameter-overrides", *options.parameters] if options.parameters else []
    yield [str(SAM), "build", "--template-file", "template.yaml"]
    yield [
        *(str(SAM), "deploy", "--stack-name", options.stack, "--resolve-s3", "--no-confirm-changeset"),
        *("--no-fail-on-empty-changeset", "--capabilities", *CAPABILITIES, *where, *given),
    ]


def _surroundings(options: argparse.Namespace) -> dict[str, str]:
    """Our own, and the functions' CPU, of which SAM tells make nothing."""
    given = parameters.read(options.parameters)
    return os.environ | ({"ARCHITECTURE": given["Architecture"]} if "Architecture" in given else {})


def bring_code(s3: Any, names: dict[str, str]) -> list[str]:
    """Upload the job's archive and entry point where they differ from what is there; the URIs of those that did."""
    wanted = {
        names["DROPGATE_JOB_ARCHIVE"]: bundles.job_archive(),
        names["DROPGATE_JOB_ENTRY"]: bundles.ENTRY.read_bytes(),
    }
    brought = []
    for uri, body in wanted.items():
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        if _checksum(s3, bucket, key) != digest:
            with asking("s3"):
                s3.put_object(Bucket=bucket, Key=key, Body=body, ChecksumSHA256=digest)
            brought.append(uri)
    return brought


def put_in_force(store: CatalogStore, plans: Sequence[Plan], *, named: bool) -> str:
    """Publish the plans if their contracts were named or nothing is in force yet; what was done, for people.

    What is in force may come from the pipeline of another repository, and a publish withdraws whatever it lacks.
    """
    try:
        before = None if named else in_force(store)
    except DocumentInvalid as error:
        raise NotDeployed(
            f"{error} `make deploy CONTRACTS=PATH` or `dropgate publish` puts others in force."
        ) from error
    if before is None:
        return published(publish(plans, store, datetime.now(UTC)))
    many = ", ".join(before) or "none"
    return (
        f"contracts in force are left alone ({many}); `make deploy CONTRACTS=PATH` or `dropgate publish` changes them"
    )


def down(options: argparse.Namespace, session: Any) -> None:
    """Delete the stack. Buckets, key and ledger stay where they are, unless they are to go."""
    cloudformation = _cloudformation(session)
    names = deployed.environment(cloudformation, options.stack)
    buckets = [names[f"DROPGATE_{zone}"].removeprefix("s3://").partition("/")[0] for zone in BUCKETS]
    if options.with_data and options.confirm != options.stack:
        said = f"--with-data deletes {', '.join(buckets)} and the table {names['DROPGATE_TABLE']}, for good"
        raise NotDeployed(f"{said}: say --confirm {options.stack} if you mean it. Nothing was deleted.")
    with asking("cloudformation"):
        cloudformation.delete_stack(StackName=options.stack)
        try:
            cloudformation.get_waiter("stack_delete_complete").wait(StackName=options.stack)
        except WaiterError as error:
            raise NotDeployed(f"CloudFormation did not delete {options.stack}: its events say why.") from error
    _tell(f"deleted the stack {options.stack}")
    if not options.with_data:
        _tell(f"kept: {', '.join(buckets)}, the table {names['DROPGATE_TABLE']}, the key")
        return
    for bucket in buckets:
        empty(session.client("s3"), bucket)
        _tell(f"deleted the bucket {bucket}")
    forget(session.client("dynamodb"), names["DROPGATE_TABLE"])
    _tell(f"deleted the table {names['DROPGATE_TABLE']}; the key stays, until you schedule its deletion")


def empty(s3: Any, bucket: str) -> None:
    """Delete a bucket with every version of all that is in it."""
    with asking("s3"):
        for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
            found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
            if found:
                keys = [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]
                s3.delete_objects(Bucket=bucket, Delete={"Objects": keys, "Quiet": True})
        s3.delete_bucket(Bucket=bucket)


def forget(dynamodb: Any, table: str) -> None:
    """Delete a table that is protected against it."""
    with asking("dynamodb"):
        dynamodb.update_table(TableName=table, DeletionProtectionEnabled=False)
        dynamodb.get_waiter("table_exists").wait(TableName=table)
        dynamodb.delete_table(TableName=table)


def _checksum(s3: Any, bucket: str, key: str) -> str | None:
    with asking("s3"):
        try:
            found: str | None = s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED").get("ChecksumSHA256")
        except ClientError as error:
            if code(error) not in ("404", "NoSuchKey", "NotFound"):
                raise
            return None
        return found


def _tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (a program for the terminal)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.deploy", description="Bring this checkout to AWS, or away.")
    parser.add_argument("what", choices=("up", "down"))
    named = os.environ.get("DROPGATE_STACK") or "dropgate"
    parser.add_argument(
        "--stack", default=named, help="name in CloudFormation (default: DROPGATE_STACK, else dropgate)"
    )
    parser.add_argument("--profile", help="profile of your AWS configuration")
    parser.add_argument("--region", help="where, if not where the profile says")
    parser.add_argument(
        "--contracts",
        type=Path,
        metavar="PATH",
        help="up: contracts to put, and no others, in force (default: those of contracts/ where none are in force yet)",
    )
    parser.add_argument("--with-data", action="store_true", help="down: delete buckets and ledger, too")
    parser.add_argument("--confirm", metavar="STACK", help="down --with-data: the stack's name once more")
    parser.add_argument(
        "--parameters", nargs="*", default=[], metavar="NAME=VALUE", help="up: parameters of template.yaml"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
