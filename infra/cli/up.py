"""`dropgate up`: the embedded stack, which runs until it is stopped."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from infra.cli.options.memory import Memory
from infra.cli.screen import line, say
from infra.files import no_link, refuse_link, refuse_links, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from contracts.plan import Plan
    from infra.local.mailbox import Received

LOOK_SECONDS = 0.5
"""Seconds between two checks of the running stack."""


@click.command(
    epilog="""\b
Examples:
  dropgate up
  dropgate up --port 4566 --contracts contracts/weather
  dropgate up --state .dropgate/state
"""
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    default=0,
    help="Port of the endpoint (default: a free one).",
)
@click.option(
    "--contracts", type=click.Path(exists=True, path_type=Path), help="Contracts to publish (default: contracts)."
)
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder that keeps files, drops and messages between starts (default: nothing is kept).",
)
@click.option(
    "--mask-evidence", is_flag=True, help="Keep values of classified properties out of the evidence (MaskEvidence)."
)
@click.option("--fast-lane", is_flag=True, help="Judge small files that surely pass without Spark (FastLane).")
@click.option(
    "--memory", type=Memory(), metavar="SIZE", default="2g", show_default=True, help="Memory of the local Spark."
)
def command(
    port: int, contracts: Path | None, state: Path | None, mask_evidence: bool, fast_lane: bool, memory: str
) -> None:
    """Run the stack on this machine, for any S3 client, and print every change of a drop's state.

    Nothing leaves this machine, unless you give this stack the secret of a channel: mails are written into
    .dropgate/mails/. Without --state nothing is kept after the stack stops (Ctrl-C). With --state the folder keeps
    everything but secrets, even after kill -9.
    """
    from contracts.authoring.compiler.lint import lint
    from contracts.authoring.store import documents
    from infra.cli.lint import as_text, default_folder
    from infra.cli.options.target import RUNNING
    from infra.local.embedded import Embedded
    from infra.local.mailbox import Mailbox
    from infra.local.state.sqlite_store import NotKept
    from infra.packaging.bundles import great_expectations
    from infra.setup.wheels import this_cpu

    linted = lint((contracts or default_folder(),))
    if linted.failed:
        click.echo(as_text(linted), err=True)
        raise SystemExit(1)
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    expectations = any(plan.needs_expectations for plan in linted.plans) or great_expectations(this_cpu()).is_file()
    with _alone(RUNNING.with_suffix(".lock")), Mailbox(_keep) as mailbox:
        try:
            stack = Embedded(
                port=port,
                listener=_heard,
                expectations=expectations,
                state=state,
                mask_evidence=mask_evidence,
                fast_lane=fast_lane,
                memory=memory,
                mailbox=mailbox,
                api=True,
            )
        except NotKept as error:
            raise click.UsageError(str(error)) from None
        except SystemExit:  # of the server, which has said why
            raise click.UsageError(f"Port {port} cannot be used: name another one with --port.") from None
        with stack as embedded:
            embedded.publish(linted.plans, documents(linted.contracts), linted.routes)
            about = {"pid": os.getpid(), "environment": embedded.environment()}
            write(RUNNING.parent, RUNNING.name, json.dumps(about))
            try:
                landing, secrets = embedded.stack.names["LandingBucket"], embedded.environment()["DROPGATE_SECRETS"]
                click.echo(welcome(embedded.cloud.endpoint, landing, secrets, linted.plans))
                assert embedded.gateway, "it was asked for"
                assert embedded.issuer, "it comes with the API"
                click.echo(ways_in(embedded.gateway.endpoint, embedded.issuer.endpoint, linted.plans))
                embedded.spark()
                click.echo("Spark is ready. Ctrl-C stops everything.")
                while not stop.wait(LOOK_SECONDS):
                    embedded.check()
            finally:
                RUNNING.unlink(missing_ok=True)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Hold the folder's lock; raise a usage error if another stack holds it, as commands would find only one."""
    refuse_links(lock.parent)
    refuse_link(lock)
    lock.parent.mkdir(exist_ok=True)
    with open(lock, "a+", encoding="utf-8", opener=no_link) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise click.UsageError(
                f"A stack of this folder is up already (process {file.read() or 'unknown'}): stop that one, "
                "or call `dropgate up` in another folder."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def welcome(endpoint: str, landing: str, secrets: str, plans: Sequence[Plan]) -> str:
    """Return the places of the stack, and a command that uploads a file to its first contract."""
    from contracts.catalog import example
    from infra.cli.options.target import MAILS, typed

    key = example(plans[0].files[0]) if plans else "file.csv"
    name = key.rsplit("/", 1)[-1]
    return f"""\
Endpoint   {endpoint}   (S3, SQS, DynamoDB, EventBridge, SSM)
Landing    s3://{landing}/
Contracts  {", ".join(plan.contract for plan in plans)}
Mails      {MAILS}/
Secrets    {secrets}   (of Slack, PagerDuty and webhooks, in SSM)

Upload with any S3 client (key and secret: dropgate, region: us-east-1), for example with curl:
  curl --aws-sigv4 aws:amz:us-east-1:s3 --user dropgate:dropgate -T {shlex.quote(name)} \\
    {endpoint}/{landing}/{quote(key)}
Then list the drops, in another terminal in this folder:
  {typed()} drops
"""


def ways_in(api: str, issuer: str, plans: Sequence[Plan]) -> str:
    """Return the addresses of page and API, and how to get a token for the producer of the first contract."""
    producer = plans[0].producer if plans else "somebody"
    return f"""\
Page       {api}/   (in a browser; choose who you are)
API        {api}   (description: {api}/openapi.json)
Issuer     {issuer}
Log in with the client of producers (id: {producer}, no secret):
  dropgate-client login --api {api} --issuer {issuer} --scope producer
For a token of an hour (scope: producer, consumer, steward or operator), and a request with it:
  TOKEN=$(curl -s {issuer}/token -d grant_type=client_credentials -d client_id={producer} -d scope=producer \\
    | python3 -c 'import json, sys; print(json.load(sys.stdin)["access_token"])')
  curl -H "Authorization: Bearer $TOKEN" {api}/drops
"""


def _keep(mail: Received) -> None:
    """Write a mail into the folder, and print one line."""
    from infra.cli.options.target import MAILS

    say(line(f"{write(MAILS, mail.name, mail.body)}: {mail.subject}"))


def _heard(event: Mapping[str, Any]) -> None:
    """Print one line for every step of every drop, and for each day or promise that has another state."""
    detail = event["detail"]
    data = detail["data"]
    subject = (
        f"{data['drop'][:10]}  {data['state']:<22}  {data['key']}"
        if data["drop"]
        else f"{detail['subject']}  {data['state']}"
    )
    say(line(subject))
