"""docs/reference/client.md is written from the help of the client's commands, and from nothing else."""

from __future__ import annotations

import os
import re

from dropgate_client.cli.main import main
from infra.packaging.bundles import ROOT
from tests.unit.documents.test_command_line_page import section

PAGE = ROOT / "docs" / "reference" / "client.md"
HEAD = """\
# dropgate-client

Written from the help of the commands by `tests/unit/documents/test_client_page.py`, which holds the page to it.
[producers.md](../how-to/producers.md) begins with the way of a file.

| exit code | means |
|---|---|
| 0 | accepted, or fine |
| 1 | rejected, or findings |
| 2 | wrong usage, or nobody is logged in |
| 3 | failed: dropgate, its surroundings or the network are at fault |

| setting in the environment | means |
|---|---|
| `DROPGATE_API` | address of the API; https, unless it is this machine |
| `DROPGATE_TOKEN` | a token that somebody else renews; nothing else is needed |
| `DROPGATE_ISSUER`, `DROPGATE_CLIENT_ID`, `DROPGATE_CLIENT_SECRET` | the issuer, and the application that gets tokens |
| `DROPGATE_SCOPE`, `DROPGATE_AUDIENCE` | what the issuer is asked for, if it needs that |
| `https_proxy`, `no_proxy` | the proxy, as of curl; this machine is never asked through one |
| `SSL_CERT_FILE` | the authorities to trust, in place of the system's |

With these settings no login is needed, and nothing is written. Else commands use the token of `login`.

"""
SETTINGS = re.compile(r"DROPGATE_[A-Z_]+")


def page() -> str:
    """Return the page: a list of all commands, then a section for each."""
    index = ["| command | does |", "|---|---|"]
    index += [
        f"| [`{n}`](#dropgate-client-{n}) | {(c.help or '').partition(chr(10))[0]} |" for n, c in main.commands.items()
    ]
    sections = [line for name in main.commands for line in section(name, main, "dropgate-client")]
    return HEAD + "\n".join([*index, "", *sections])


def test_page_is_the_help_of_the_commands() -> None:
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "run this test with DROPGATE_WRITE_DOCS=1 to write the page"


def test_page_names_every_setting() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "client").rglob("*.py"))

    assert set(SETTINGS.findall(code)) == set(SETTINGS.findall(HEAD))
