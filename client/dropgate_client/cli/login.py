"""`dropgate-client login`: addresses and an application's secret in, a token in the user's folder out."""

from __future__ import annotations

import os
import sys
from datetime import datetime, timezone
from itertools import islice

import click

from dropgate_client.addresses import address
from dropgate_client.cli.output import say
from dropgate_client.client import Client
from dropgate_client.logins import default_path, save
from dropgate_client.rendering.screen import visible
from dropgate_client.sessions import ApplicationSession, log_in
from dropgate_client.tokens import Application
from dropgate_client.transport import Transport


@click.command(
    name="login",
    epilog="""\b
Examples:
  dropgate-client login --api https://drops.example.com --issuer https://login.example.com
  dropgate-client login --api http://127.0.0.1:8080 --issuer http://127.0.0.1:8081 --scope producer
""",
)
@click.option("--api", envvar="DROPGATE_API", required=True, metavar="URL", help="Address of the API.")
@click.option("--issuer", envvar="DROPGATE_ISSUER", required=True, metavar="URL", help="Address of the OIDC issuer.")
@click.option(
    "--scope",
    envvar="DROPGATE_SCOPE",
    default="",
    metavar="SCOPE",
    help="The scope to ask for, if the issuer wants one.",
)
@click.option(
    "--audience", envvar="DROPGATE_AUDIENCE", default="", metavar="NAME", help="The audience, if the issuer wants it."
)
def command(api: str, issuer: str, scope: str, audience: str) -> None:
    """Take a token from the issuer, and keep it for the other commands.

    The client id and its secret come from DROPGATE_CLIENT_ID and DROPGATE_CLIENT_SECRET, or from a prompt; the secret
    is kept nowhere. The token is in a file that only you can read. When it ends, it is renewed if the secret is in the
    environment; else log in again.
    """
    api, issuer = address(api, "--api"), address(issuer, "--issuer")
    client_id = os.environ.get("DROPGATE_CLIENT_ID") or _asked("Client id")
    secret = os.environ.get("DROPGATE_CLIENT_SECRET")
    if secret is None:
        secret = _asked("Client secret (empty if it has none)", hide=True)
    transport, path = Transport({"User-Agent": "dropgate-client"}), default_path()
    login = log_in(transport, api, Application(issuer, client_id, scope, audience), secret)
    session = ApplicationSession(transport, login, secret, lambda _: None)
    contracts = list(islice(Client(session, transport).contracts(), 100))  # the API takes the token
    save(path, login)
    ends = datetime.fromtimestamp(login.token.ends_at, timezone.utc)
    say(f"Logged in to {api} as {visible(client_id)} until {ends:%Y-%m-%d %H:%M} UTC.")
    names = ", ".join(visible(str(contract["contract"])) for contract in contracts[:8])
    more = f" and {len(contracts) - 8} more" if len(contracts) > 8 else ""
    say(f"Contracts: {names or 'none'}{more}")


def _asked(what: str, *, hide: bool = False) -> str:
    """Return what a person types; a usage error where nobody can."""
    if not sys.stdin.isatty():
        raise click.UsageError("Set DROPGATE_CLIENT_ID and DROPGATE_CLIENT_SECRET: nobody is here to type them.")
    answer: str = click.prompt(what, hide_input=hide, default="" if hide else None, show_default=False, err=True)
    return answer
