"""`dropgate notify --test`: a sample to each channel of a contract, and what came back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from contracts.problem import nearest, visible
from infra.cli.options.target import of_a_stack
from infra.cli.screen import as_json, line, say

if TYPE_CHECKING:
    from functions.notices.sample import SampleSent

SANDBOX = (
    "Amazon SES is in its sandbox in this Region: it sends to verified addresses alone. Ask for production access "
    "(SES console, Account dashboard)."
)
RESULTS = {"sent": "sent", "later": "not now", "refused": "refused"}


@click.command(
    epilog="""\b
Examples:
  dropgate notify --test orders.v1
  dropgate notify --test orders.v1 --stack dropgate --format json
"""
)
@click.option(
    "--test", "contract", metavar="CONTRACT", required=True, help="The published contract whose channels are tried."
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@of_a_stack
def command(contract: str, form: str) -> None:
    """Send a sample to each channel of a contract, the operators' included, and print what came back.

    Samples say that they are a test; PagerDuty's incident is resolved at once. The command sends with your rights and
    from your network, not with those of the stack's functions. Exit code 1: a channel did not take its sample, or
    nobody hears of the contract.
    """
    from functions.notices.sample import send_samples
    from infra.cli.options.target import in_sandbox, notice_ports

    ports = notice_ports()
    index = ports.catalog.index()
    if contract not in (names := {entry.contract for entry in index.entries}):
        close = nearest(contract, names)
        hint = f"Did you mean {close}?" if close else f"Published: {', '.join(sorted(names)) or 'none'}."
        raise click.UsageError(f"There is no contract {visible(contract)}. {hint}")
    rows = [_row(one) for one in send_samples(ports, contract)]
    notes = [SANDBOX] if any(row["service"] == "email" for row in rows) and in_sandbox() else []
    if form == "json":
        click.echo(as_json({"contract": contract, "channels": rows, "notes": notes}))
    else:
        for row in rows:
            heard = f"{', '.join(row['audiences'])}: {', '.join(row['occasions'])}"
            say(line(f"{row['result']:<9} {row['service']} {row['to']}  ({heard})  {row['answer']}"))
        for note in notes:
            say(note)
        if not rows:
            click.echo(f"Nobody hears of {contract}: its contract has no drop.notify, and notify.yaml no operators.")
    raise SystemExit(0 if rows and all(row["result"] == "sent" for row in rows) else 1)


def _row(one: SampleSent) -> dict[str, Any]:
    return {
        "service": one.channel.service,
        "to": one.channel.to,
        "audiences": list(one.audiences),
        "occasions": list(one.on),
        "result": RESULTS[one.answer.result],
        "answer": one.answer.text,
    }
