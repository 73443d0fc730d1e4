"""The stack of a command: the environment and this checkout's running stack in, a ledger or ports out.

In this order: the stack that --stack or DROPGATE_STACK names, the other variables DROPGATE_* (a deployed stack), the
stack that `dropgate up` keeps running, the results of the last `dropgate demo` (read only).
"""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from contracts.catalog import Ambiguous, Matched
from contracts.errors import DropgateError, ObjectGone, ObjectUnreadable, ServiceUnavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from functions.drop import Drop
    from functions.events.shape import Origin
    from functions.ports import EventSources, NoticePorts, Ports
    from functions.ports.batches import Batch
    from functions.ports.drops import Step
    from functions.ports.expected_files import Absence, FileSet
    from functions.ports.promises import PromisePeriod, Standing

HOME = Path(".dropgate")
RUNNING = HOME / "up.json"
DEMO = HOME / "demo"
MAILS = HOME / "mails"
"""The folder of the mails of `dropgate up`."""
NOTHING = "No stack to ask: start one with `dropgate up`, run `dropgate demo`, or name a deployed one with --stack."
NOT_RUNNING = "No running stack: start one with `dropgate up`, or name a deployed one with --stack."
NOWHERE = "No Region is set: use --region, or set AWS_DEFAULT_REGION (boto3 does not read AWS_REGION)."
Command = TypeVar("Command", bound=Callable[..., Any])


def of_a_stack(command: Command) -> Command:
    """Give a command the options that name a deployed stack."""
    for name, metavar, variable, text in reversed(
        [
            ("--stack", "NAME", "DROPGATE_STACK", "The name of the deployed stack in CloudFormation"),
            ("--profile", "NAME", "AWS_PROFILE", "The profile of your AWS configuration"),
            ("--region", "REGION", "AWS_DEFAULT_REGION", "The Region of the stack, if not that of the profile"),
        ]
    ):
        ours = variable if name == "--stack" else None  # the others boto3 reads itself
        option = click.option(
            name,
            metavar=metavar,
            envvar=ours,
            help=f"{text} (default: that of {variable}).",
            expose_value=False,
            callback=_note,
        )
        command = option(command)
    return command


def typed() -> str:
    """Return the name by which the command line was called, so that printed commands can be typed."""
    called = Path(sys.argv[0]).absolute()
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else called.name


def _note(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Keep the value of an option for the selection of the stack."""
    context.meta[f"dropgate.{option.name}"] = value


def _option_value(option: str) -> str | None:
    context = click.get_current_context(silent=True)
    value: str | None = context.meta.get(f"dropgate.{option}") if context else None
    return value


def names_a_stack() -> bool:
    """Return True if --stack or DROPGATE_STACK names a deployed stack."""
    return bool(_option_value("stack"))


class NoStack(DropgateError):
    """There is no stack to read from; the text names the ways to have one."""


class Reader(Protocol):
    """The part of the ledger that shows drops."""

    def drop(self, drop_id: str) -> Drop | None:
        """Return a drop in its current state."""
        ...

    def history(self, drop_id: str) -> tuple[Step, ...]:
        """Return all steps of a drop, oldest first."""
        ...

    def batch(self, batch_id: str) -> Batch | None:
        """Return the batch of a drop in its current state."""
        ...

    def starting_with(self, prefix: str) -> tuple[str, ...]:
        """Return the ids that start so."""
        ...

    def of_month(
        self,
        contract: str | None,
        month: str,
        most: int = 1000,
        only: Mapping[str, str] | None = None,
        *,
        trial: bool = False,
    ) -> tuple[Drop, ...]:
        """Return the drops, or trials, that a contract (None: no contract) got in a month, newest first; `only`."""
        ...

    def file_set(self, set_id: str) -> FileSet | None:
        """Return the set of files of a drop in its current state."""
        ...

    def absences(self, contract: str, month: str) -> tuple[Absence, ...]:
        """Return the absences of a contract in a month, first day first."""
        ...

    def standing(self, contract: str) -> Standing | None:
        """Return how the promises of a contract stand."""
        ...

    def periods(self, contract: str, promise: str, most: int) -> tuple[PromisePeriod, ...]:
        """Return the results of the last periods of a promise, the newest first."""
        ...


@dataclass(frozen=True, slots=True)
class Target:
    """The source of drops: `where` names it for people, `contracts` lists the contracts that may have drops.

    `landing`, `promoted` and `results` are the URIs of zones, `located` turns a URI into where a person finds it,
    `claiming` gives the contracts that claim a key now, `promising` the time of the last publish for each contract with
    promises over time. What it shows is so at the time `now`: of a demo, when that was saved.
    """

    where: str
    ledger: Reader
    contracts: Callable[[], tuple[str, ...]]
    landing: str
    promoted: str
    located: Callable[[str], str]
    claiming: Callable[[str], tuple[str, ...]]
    read: Callable[[str], bytes | None] = lambda _: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    promising: Callable[[], Mapping[str, str]] = dict
    results: str = ""


def reading() -> Target:
    """Return the ledger to read from."""
    environment = surroundings()
    if environment is not None:
        world = _world(environment)
        if stack := _option_value("stack"):
            return of_ports(world, f"the stack {stack}")
        endpoint = environment.get("AWS_ENDPOINT_URL")
        where = f"the stack at {endpoint}" if endpoint else f"the table {environment['DROPGATE_TABLE']}"
        return of_ports(world, where)
    from infra.local.state.export_folder import LEDGER, Archive

    if not (DEMO / LEDGER).is_file():
        raise NoStack(NOTHING)
    archive = Archive(DEMO)
    return Target(
        where=f"the demo of {archive.saved_at} ({DEMO}/)",
        ledger=archive,
        contracts=archive.contracts,
        landing=archive.landing,
        promoted=archive.promoted,
        results=archive.results,
        located=archive.located,
        claiming=lambda _: archive.contracts(),
        read=archive.read,
        now=lambda: datetime.fromisoformat(archive.saved_at),
    )


def of_ports(world: Ports, where: str = "") -> Target:
    """Return the ledger of a running stack."""

    def contracts() -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.contract for entry in world.catalog.index().entries))

    def claiming(key: str) -> tuple[str, ...]:
        match world.catalog.match(key):
            case Matched(entry):
                return (entry.contract,)
            case Ambiguous(_, several):
                return several
            case _:
                return ()

    def read(uri: str) -> bytes | None:
        try:
            return world.store.get(uri)
        except (ObjectGone, ObjectUnreadable, ServiceUnavailable):
            return None

    def promising() -> Mapping[str, str]:
        entries, pointer = world.catalog.index().entries, world.catalog.pointer
        return {entry.contract: pointer.published_at for entry in entries if entry.promises and pointer}

    return Target(
        where=where,
        ledger=world.ledger,
        contracts=contracts,
        landing=world.zones.landing,
        promoted=world.zones.promoted,
        results=world.zones.results,
        located=str,
        claiming=claiming,
        read=read,
        promising=promising,
    )


def ports() -> Ports:
    """Return the ports of a running stack, for commands that act."""
    environment = surroundings()
    if environment is None:
        raise NoStack(NOT_RUNNING)
    return _world(environment)


def notice_ports() -> NoticePorts:
    """Return what notices of a running stack need."""
    environment = surroundings()
    if environment is None:
        raise NoStack(NOT_RUNNING)
    if "DROPGATE_NOTICES_TABLE" not in environment:
        raise NoStack("This stack is of a version that tells nobody: deploy a newer one.")
    from functions.aws.answers import asking
    from functions.aws.clients import notice_ports_from

    with asking("the embedded stack" if "AWS_ENDPOINT_URL" in environment else "AWS"):
        return notice_ports_from(_Whole(environment), _clients(environment, regional=True))


def event_sources() -> tuple[EventSources, Origin]:
    """Return what events of a running stack are made from, and the origin that they name."""
    environment = surroundings()
    if environment is None:
        raise NoStack(NOT_RUNNING)
    from functions.aws.clients import event_sources_from
    from functions.events.shape import Origin

    sources = event_sources_from(_Whole(environment), _clients(environment))
    return sources, Origin(f"/dropgate/{_stack_of(environment)}", sources.zones.promoted)


def bus() -> tuple[Any, str]:
    """Return a client of EventBridge and the name of a running stack's bus."""
    environment = surroundings()
    if environment is None:
        raise NoStack(NOT_RUNNING)
    from infra.stack_admin import deployed

    stack, session = _stack_of(environment), _session(regional=True)
    name = deployed.bus(session.client("cloudformation"), stack)
    if name is None:
        raise NoStack(f"The stack {stack} has no event bus: it is not a dropgate stack.")
    return session.client("events"), name


def in_sandbox() -> bool:
    """Return True if Amazon SES sends to verified addresses alone; False if it cannot be asked."""
    environment = surroundings() or {}
    if "DROPGATE_SMTP" in environment:
        return False
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return not _clients(environment, regional=True).sesv2.get_account()["ProductionAccessEnabled"]
    except (BotoCoreError, ClientError):
        return False


def caller() -> str:
    """Return the acting person for the record: the caller's ARN by STS, or the user's name on a local stack."""
    if is_embedded():
        return getpass.getuser()
    from functions.aws.answers import asking

    with asking("STS"):
        return str(_session(regional=True).client("sts").get_caller_identity()["Arn"])


def is_embedded() -> bool:
    """Return True if the selected stack runs on a local machine, not on AWS."""
    return "AWS_ENDPOINT_URL" in (surroundings() or {})


def for_tables() -> Callable[[], Mapping[str, str]]:
    """Return a function that gives the options for reading and writing the tables of a running stack."""
    environment = surroundings()
    if environment is None:
        raise NoStack(NOT_RUNNING)
    options: Callable[[], Mapping[str, str]] = _clients(environment, regional=True).for_tables
    return options


def queues(wanted: Iterable[str]) -> tuple[SQSClient, Mapping[str, str]]:
    """Return an SQS client and the URLs of the stack's queues by logical id; raise NoStack if one is missing."""
    environment = surroundings()
    if environment is None:
        raise NoStack(NOT_RUNNING)
    stack = _stack_of(environment)
    from infra.stack_admin import deployed

    sqs = _clients(environment).sqs
    urls = deployed.queues(_session(regional=True).client("cloudformation"), stack)
    if missing := sorted(set(wanted) - urls.keys()):
        raise NoStack(
            f"The stack {stack} has no {', '.join(missing)}: it is not a dropgate stack, or one of another version."
        )
    return sqs, urls


def _stack_of(environment: Mapping[str, str]) -> str:
    """Return the name of a running stack in CloudFormation."""
    stack = _option_value("stack") or environment.get("POWERTOOLS_SERVICE_NAME")
    if stack is None:
        raise NoStack("The stack's queues and bus are found by its name in CloudFormation: name it with --stack.")
    return stack


def catalog_client(zone: str | None) -> tuple[Any, str]:
    """Return an S3 client and the catalog's URI; for a given zone, a client of the environment's own S3."""
    environment = surroundings()
    if zone is None and environment is None:
        raise NoStack(
            "No catalog to publish to: start a stack with `dropgate up`, name a deployed one with --stack, "
            "or name a catalog with --catalog."
        )
    from functions.aws.answers import asking

    variables = environment or {}
    with asking("S3"):
        return _clients(variables).s3, zone or _Whole(variables)["DROPGATE_CATALOG"]


def stored_secrets() -> tuple[str, Mapping[str, str]] | None:
    """Return the folder of the stack's secrets in Parameter Store, and the type of each there; None without a stack."""
    environment = surroundings()
    if environment is None or "DROPGATE_SECRETS" not in environment:
        return None
    from infra.stack_admin.secrets import stored

    folder = environment["DROPGATE_SECRETS"]
    return folder, stored(_clients(environment, regional=True).ssm, folder)


def surroundings() -> Mapping[str, str] | None:
    """Return the variables of the stack that a command uses; None if no stack is running."""
    if stack := _option_value("stack"):
        from infra.stack_admin import deployed

        return deployed.environment(_session(regional=True).client("cloudformation"), stack)
    if "DROPGATE_TABLE" in os.environ or "DROPGATE_CATALOG" in os.environ:
        return os.environ
    running = json.loads(RUNNING.read_text(encoding="utf-8")) if RUNNING.is_file() else None
    if not running:
        return None
    try:
        os.kill(running["pid"], 0)
    except PermissionError:
        pass  # it runs, and is another user's
    except ProcessLookupError:
        return None
    environment: Mapping[str, str] = running["environment"]
    return environment


def _world(environment: Mapping[str, str]) -> Ports:
    from functions.aws.answers import asking
    from functions.aws.clients import ports_from

    with asking("the embedded stack" if "AWS_ENDPOINT_URL" in environment else "AWS"):
        return ports_from(_Whole(environment), _clients(environment, regional=True))


class _Whole(dict[str, str]):
    """An environment whose error names the missing variable."""

    def __missing__(self, name: str) -> str:
        raise NoStack(f"{name} is not set: set all DROPGATE_* of the deployed stack, or none.")


def _clients(environment: Mapping[str, str], *, regional: bool = False) -> Any:
    from functions.aws.clients import Clients

    for name, value in environment.items():
        if name.startswith("AWS_"):
            os.environ[name] = value
    return Clients(_session(regional=regional))


def _session(*, regional: bool) -> Any:
    """Return a boto3 session for the given profile and Region, or for those of the environment.

    S3 finds the Region of a bucket itself; a call to another service (`regional`) needs one.
    """
    import boto3
    from botocore.exceptions import BotoCoreError

    try:
        session = boto3.Session(profile_name=_option_value("profile"), region_name=_option_value("region"))
        if regional and session.region_name is None:
            raise NoStack(NOWHERE)
    except BotoCoreError as error:
        raise NoStack(f"AWS cannot be asked: {str(error).rstrip('.')}.") from error
    return session
