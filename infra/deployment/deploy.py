"""`python -m infra.deployment.deploy up|down --stack NAME`: deploy this checkout to AWS, or delete it there.

up: `sam build`, `sam deploy`, the job's code, and contracts if they are named or none are in force yet. Equal objects
stay, so that a second run of the same commit changes nothing. down: deletes everything but the data; with --with-data
also the data, for good (`destroy.py`).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from contracts.authoring.compiler.compile import Compiled
from contracts.authoring.compiler.lint import lint
from contracts.authoring.publication import CatalogStore, in_force, publish, refusals, unfit
from contracts.authoring.store import documents
from contracts.errors import DocumentInvalid, DropgateError
from contracts.plan import Plan
from contracts.terms.notices import Routes
from functions.aws.answers import asking, code
from functions.aws.catalog.s3_catalog import S3Catalog
from infra import parameters
from infra.cli.lint import as_text, lines_of
from infra.cli.options.target import NOWHERE
from infra.cli.publish import as_text as published
from infra.deployment.destroy import down
from infra.local.template.template import parameters_of
from infra.packaging import bundles
from infra.stack_admin import deployed

SAM = Path(sys.executable).with_name("sam")
TEMPLATE = bundles.ROOT / "template.yaml"
CAPABILITIES = ("CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND")
NEVER_MADE = ("CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED")
"""States of a stack that CloudFormation does not update, only delete (user guide, "Stack status codes")."""


class NotDeployed(DropgateError):
    """A step of the deployment failed; the text names the step and the message of its tool."""


def main(arguments: Sequence[str]) -> int:
    """Run as a program; exit with 3 if a step failed."""
    options = _parser().parse_args(arguments)
    try:
        session = boto3.Session(profile_name=options.profile, region_name=options.region)
        if options.what == "up":
            up(options, session)
        else:
            _located(session)
            down(options, session, _tell)
    except (DropgateError, BotoCoreError) as error:
        print(f"dropgate: {error}", file=sys.stderr)  # noqa: T201 (a program for the terminal)
        return 3
    return 0


def up(options: argparse.Namespace, session: Any) -> None:
    """Build, deploy, upload the job's code, and publish contracts.

    A parameter that the template refuses, or a contract with a lint error, stops the deployment before its first step.
    """
    given = parameters.read(options.parameters)
    if mistakes := parameters.wrong(given, parameters_of(TEMPLATE)):
        raise NotDeployed(f"{chr(10).join(mistakes)}\nNothing was deployed. {TEMPLATE.name} explains each parameter.")
    linted = lint((options.contracts or bundles.ROOT / "contracts",))
    if linted.failed or not linted.plans:
        raise NotDeployed(f"{as_text(linted)}\nNothing was deployed.")
    _located(session)
    cloudformation = session.client("cloudformation")
    former = deployed.described(cloudformation, options.stack)
    fit_for_update(options.stack, former)
    for sentence in staying(cloudformation, former, given):
        _tell(sentence)
    has = deployed.parameters(former)
    around = surroundings(given, has)
    options.parameters += with_expectations(given, has, bundles.great_expectations) + with_arrow(given)
    coming, named = {**has, **parameters.read(options.parameters)}, options.contracts is not None
    ready = {"DROPGATE_JOB_ENVIRONMENT": "built" if coming.get("GreatExpectations") == "true" else ""}
    if (named or former is None) and (why := unfit(linted.plans, ready)):
        raise NotDeployed(f"{why} Nothing was deployed.")
    archives = [bundles.great_expectations(cpu := coming.get("Architecture", "arm64"))]
    if coming["Arrow"] == "true":
        archives.append(bundles.built_arrow(cpu, lambda _: None))
    for step in commands(options):
        _tell(" ".join(step[1:3]))
        if subprocess.run(step, cwd=bundles.ROOT, env=around, check=False).returncode != 0:
            raise NotDeployed(f"`{' '.join(step[:3])}` failed; its output has the reason. The former state still runs.")
    names = deployed.environment(cloudformation, options.stack)
    s3 = session.client("s3")
    for uri in bring_code(s3, names, *archives):
        _tell(f"brought {uri}")
    store = S3Catalog(s3, names["DROPGATE_CATALOG"])
    if names["DROPGATE_CONTRACTS_FROM"] == "api":
        _tell("no contract was published: the stack takes them by its API (ContractsFrom=api)")
    else:
        lacking = unfit(linted.plans, names)
        _tell(
            put_in_force(
                store, linted.plans, named=named, contracts=linted.contracts, routes=linted.routes, lacking=lacking
            )
        )
    _tell(f"producers upload to {names['DROPGATE_LANDING']}")


def with_expectations(given: Mapping[str, str], has: Mapping[str, str], place: Callable[[str], Path]) -> list[str]:
    """Return the parameter for the archive of Great Expectations, if it was built and the caller did not set it.

    `place` returns the archive's path by CPU. Raises NotDeployed if the stack needs an archive that was neither built
    nor uploaded before.
    """
    name, former = "GreatExpectations", has.get("Architecture", str(parameters_of(TEMPLATE)["Architecture"]["Default"]))
    cpu, asked = given.get("Architecture", former), given.get(name)
    built = place(cpu)
    if built.is_file():
        return [f"{name}=true"] if asked is None else []
    brought = has.get(name) == "true" and cpu == former
    if not brought and (asked or has.get(name)) == "true":
        raise NotDeployed(f"There is no {built.name} in build/: run `make build GX=1` first. Nothing was deployed.")
    return []


def with_arrow(given: Mapping[str, str]) -> list[str]:
    """Return the parameter for the archive of Arrow, which each deployment uploads by default."""
    return [] if "Arrow" in given else ["Arrow=true"]


def _located(session: Any) -> None:
    if session.region_name is None:
        raise NotDeployed(f"{NOWHERE} Nothing was done.")


def fit_for_update(name: str, former: Mapping[str, Any] | None) -> None:
    """Raise NotDeployed if CloudFormation would refuse the update, before anything is built."""
    if former and former["StackStatus"] in NEVER_MADE:
        raise NotDeployed(
            f"The stack {name} is in {former['StackStatus']}, from which it can only be deleted: run `make destroy` "
            "with the same STACK, then this again. Nothing was built."
        )


def commands(options: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the SAM commands."""
    where = [
        part for name in ("profile", "region") if (value := getattr(options, name)) for part in (f"--{name}", value)
    ]
    given = ["--parameter-overrides", *options.parameters] if options.parameters else []
    yield [str(SAM), "build", "--template-file", "template.yaml"]
    yield [
        *(str(SAM), "deploy", "--stack-name", options.stack, "--resolve-s3", "--no-confirm-changeset"),
        *("--no-fail-on-empty-changeset", "--capabilities", *CAPABILITIES, *where, *given),
    ]


def staying(cloudformation: Any, former: Mapping[str, Any] | None, given: Mapping[str, str]) -> list[str]:
    """Return the values that the stack keeps although the template's default has changed, in sentences."""
    if former is None or former["StackStatus"] == "REVIEW_IN_PROGRESS":  # it has no template yet
        return []
    defaults = deployed.defaults(cloudformation, former["StackId"])
    return parameters.stay(given, parameters_of(TEMPLATE), deployed.parameters(former), defaults)


def surroundings(given: Mapping[str, str], former: Mapping[str, str]) -> dict[str, str]:
    """Return our environment and the functions' CPU: the given one, else the deployed stack's. SAM does not set it."""
    cpu = given.get("Architecture", former.get("Architecture"))
    return os.environ | ({"ARCHITECTURE": cpu} if cpu else {})


def bring_code(s3: Any, names: dict[str, str], *packages: Path) -> list[str]:
    """Upload the job's archive, its entry point and the built archives of packages into one folder.

    An equal object stays; returns the URIs of the others.
    """
    archive = names["DROPGATE_JOB_ARCHIVE"]
    wanted: dict[str, bytes | Path] = {archive: bundles.job_archive(), names["DROPGATE_JOB_ENTRY"]: bundles.ENTRY}
    wanted |= {f"{archive.rpartition('/')[0]}/{one.name}": one for one in packages if one.is_file()}
    return [uri for uri, what in wanted.items() if _bring(s3, uri, what)]


def _bring(s3: Any, uri: str, what: bytes | Path) -> bool:
    """Upload bytes or a file unless the same is there; return True if it was uploaded."""
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    with io.BytesIO(what) if isinstance(what, bytes) else what.open("rb") as body, asking("s3"):
        digest = base64.b64encode(hashlib.file_digest(body, "sha256").digest()).decode()
        try:
            there = s3.head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED").get("ChecksumSHA256")
        except ClientError as error:
            if code(error) not in ("404", "NoSuchKey", "NotFound"):
                raise
            there = None
        if there == digest:
            return False
        body.seek(0)
        s3.put_object(Bucket=bucket, Key=key, Body=body, ChecksumSHA256=digest)
    return True


def put_in_force(
    store: CatalogStore,
    plans: Sequence[Plan],
    *,
    named: bool,
    contracts: Sequence[Compiled] = (),
    routes: Routes | None = None,
    lacking: str | None = None,
) -> str:
    """Publish the plans if contracts were named or none are in force; return a report for people.

    `lacking` is the reason why the stack cannot judge by them, if any.

    Contracts in force may come from the pipeline of another repository, and a publish withdraws all that it does not
    name: so they stay unless contracts were named.
    """
    try:
        before = None if named else in_force(store)
    except DocumentInvalid as error:
        raise NotDeployed(
            f"{error} `make deploy CONTRACTS=PATH` or `dropgate publish` puts others in force."
        ) from error
    if before is None:
        if lacking:
            raise NotDeployed(f"{lacking} All but the contracts is deployed; no contract was published.")
        if refused := refusals(contracts, store):
            lines = "\n".join(line for f in refused for line in lines_of(f))
            raise NotDeployed(f"{lines}\nAll but the contracts is deployed; no contract was published.")
        return published(publish(plans, store, datetime.now(UTC), documents(contracts), routes))
    many = ", ".join(before) or "none"
    return (
        f"contracts in force stay as they are ({many}); `make deploy CONTRACTS=PATH` or `dropgate publish` changes them"
    )


def _tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (a program for the terminal)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m infra.deployment.deploy", description="Bring this checkout to AWS, or away."
    )
    parser.add_argument("what", choices=("up", "down"))
    named = os.environ.get("DROPGATE_STACK") or "dropgate"
    parser.add_argument(
        "--stack", default=named, help="name in CloudFormation (default: DROPGATE_STACK, else dropgate)"
    )
    parser.add_argument("--profile", help="profile of your AWS configuration")
    parser.add_argument("--region", help="the Region, if not that of the profile")
    parser.add_argument(
        "--contracts",
        type=Path,
        metavar="PATH",
        help="up: contracts to put, and no others, in force (default: those of contracts/ where none are in force yet)",
    )
    parser.add_argument("--with-data", action="store_true", help="down: also delete buckets and ledger")
    parser.add_argument("--confirm", metavar="STACK", help="down --with-data: the stack's name once more")
    parser.add_argument(
        "--parameters", nargs="*", default=[], metavar="NAME=VALUE", help="up: parameters of template.yaml"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
