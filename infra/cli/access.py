"""`dropgate access`: contracts and an ARN in, the policies that make it a producer or a consumer out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contracts.problem import nearest
from infra.cli.options.target import of_a_stack

if TYPE_CHECKING:
    from infra.stack_admin.access import Access, Buckets

PRINCIPAL = re.compile(r"arn:(aws[\w-]*):iam::(\d{12}):(root|(role|user)/[\w+=,.@/-]+)")
KEY = re.compile(r"arn:aws[\w-]*:kms:[\w-]+:\d{12}:key/[\w-]+")


@click.command(
    epilog="""\b
Examples:
  dropgate access producer inmet --principal arn:aws:iam::210987654321:role/sender
  dropgate access consumer --principal arn:aws:iam::123456789012:role/analyst
  dropgate access consumer nyc-weather.v1 --stack dropgate --principal arn:aws:iam::123456789012:role/analyst

No S3 policy can limit the size or the number of uploads: dropgate refuses files that are too large with a receipt.
A bucket policy holds 20 KB: for many principals of other accounts, create a role here that they can assume.
"""
)
@click.argument("who", type=click.Choice(["producer", "consumer"]))
@click.argument("name", required=False)
@click.option("--principal", required=True, metavar="ARN", help="The role, user or account that gets the rights.")
@click.option(
    "--contracts",
    "folder",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder of contracts (default: contracts).",
)
@click.option("--landing-bucket", metavar="NAME", help="Bucket for uploads (default: that of the stack).")
@click.option("--internal-bucket", metavar="NAME", help="Bucket of the receipts (default: that of the stack).")
@click.option("--promoted-bucket", metavar="NAME", help="Bucket of promoted files (default: that of the stack).")
@click.option("--key", metavar="ARN", help="KMS key of the buckets (default: that of the stack).")
@click.option("--no-overwrite", is_flag=True, help="Deny uploads without the header If-None-Match: *.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(
    who: str,
    name: str | None,
    principal: str,
    folder: Path | None,
    landing_bucket: str | None,
    internal_bucket: str | None,
    promoted_bucket: str | None,
    key: str | None,
    no_overwrite: bool,
    form: str,
) -> None:
    """Write the policies that make an ARN a producer or a consumer.

    WHO is `producer` or `consumer`. NAME is the producer's name in contracts, or the one contract that a consumer reads
    (default: all). A producer can only upload to its own folder and read its own receipts. A consumer can only read
    promoted files. The command prints the policies and applies nothing.

    Only a principal of another account needs statements in the policies of the buckets and the key. For a principal of
    the stack's own account the text output leaves these statements out; --format json always prints them.
    """
    from infra.stack_admin.access import folders_of, for_consumer, for_producer

    match = PRINCIPAL.fullmatch(principal)
    if not match:
        raise click.UsageError("--principal needs an ARN, such as arn:aws:iam::123456789012:role/sender.")
    if key and not KEY.fullmatch(key):
        raise click.UsageError(
            "--key needs the ARN of a key, such as arn:aws:kms:eu-west-1:123456789012:key/1234abcd-..."
        )
    given = {"landing": landing_bucket, "internal": internal_bucket, "promoted": promoted_bucket}
    buckets, owner = _buckets(who, given, key, match[1])
    if who == "consumer":
        if name and name not in (contracts := sorted(plan.contract for plan in _plans(folder))):
            raise click.UsageError(f"There is no contract '{name}'.{_hint(name, contracts)}")
        access = for_consumer(buckets, principal, name or None)
    else:
        plans = _plans(folder)
        producers = sorted({plan.producer for plan in plans})
        if name is None or name not in producers:
            missing = f"No contract names a producer '{name}'." if name else "Name the producer."
            raise click.UsageError(missing + _hint(name, producers))
        access = for_producer(buckets, name, folders_of(plans, name), principal, overwrite=not no_overwrite)
    click.echo(
        json.dumps(access.document(), indent=2) if form == "json" else _text(access, match[2], owner, buckets.key)
    )


def _buckets(who: str, given: dict[str, str | None], key: str | None, partition: str) -> tuple[Buckets, str | None]:
    """Return the buckets, their key and their account, if it is known."""
    from functions.keys import split
    from infra.cli.options.target import surroundings
    from infra.stack_admin.access import Buckets

    zones = {"landing": "DROPGATE_LANDING", "internal": "DROPGATE_REPORTS", "promoted": "DROPGATE_PROMOTED"}
    stack = surroundings() or {}
    names = {zone: name or split(stack.get(zones[zone], ""))[0] for zone, name in given.items()}
    needed = ("promoted",) if who == "consumer" else ("landing", "internal")
    for zone in needed:
        if not names[zone]:
            raise click.UsageError(f"No stack to ask for its buckets; name one with --{zone}-bucket.")
    owner = None if any(given[zone] for zone in needed) else _account(stack.get("DROPGATE_JOB_ROLE"))
    return Buckets(**names, key=key or stack.get("DROPGATE_DATA_KEY"), partition=partition), owner


def _account(arn: str | None) -> str | None:
    return ((arn or "").split(":") + [""] * 5)[4] or None


def _hint(name: str | None, names: list[str]) -> str:
    close = nearest(name, names) if name else None
    return f" Did you mean '{close}'?" if close else f" There are: {', '.join(names) or 'none'}."


def _plans(folder: Path | None) -> Any:
    from contracts.authoring.compiler.lint import lint
    from infra.cli.lint import as_text, default_folder

    linted = lint((folder or default_folder(),))
    if linted.failed:  # folders may lie in one another, and then nobody's rights would be its own
        click.echo(as_text(linted), err=True)
        raise SystemExit(1)
    return linted.plans


def _text(access: Access, account: str, owner: str | None, key: str | None) -> str:
    """Return the parts, each with its destination, without those that the principal's account does not need."""
    whole = access.document()
    parts = [("Attach to the principal as a policy of its own:", whole["identityPolicy"])]
    other = "only if the principal is of another account than the stack's"
    for name, statements in whole["bucketPolicyStatements"].items():
        allowed = [one for one in statements if one["Effect"] == "Allow"]
        denied = [one for one in statements if one["Effect"] == "Deny"]
        title = f"Add to the policy of the bucket {name}, in addition to its statements"
        if owner != account:
            parts.append((f"{title}, {other}:", {"Statement": allowed}))
        if denied:
            parts.append((f"{title}, whichever account it is:", {"Statement": denied}))
    if access.key and _account(key) != account:
        parts.append((f"Add to the policy of the key, {other}:", {"Statement": whole["keyPolicyStatements"]}))
    return "\n\n".join(f"{title}\n{json.dumps(document, indent=2)}" for title, document in parts)
