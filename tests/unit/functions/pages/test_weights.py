"""The bytes of each page with its style, script and icon, in a month of files: bounded, and listed in the documents."""

from __future__ import annotations

import os
import re

from infra.packaging.bundles import ROOT
from tests.unit.functions.pages.a_month import a_month
from tests.unit.functions.pages.browsing import opened

LARGEST = 200_000
PAGES = {
    "Home": "/app",
    "Files": "/app/drops",
    "File": "/app/drops/{drop}",
    "Send a file": "/app/send",
    "Contracts": "/app/contracts",
    "Contract": "/app/contracts/orders.v1",
    "Contract: history": "/app/contracts/orders.v1/history",
    "Contract: versions": "/app/contracts/orders.v1/versions",
    "Contract: data": "/app/contracts/orders.v1/data",
    "Check a contract": "/app/lint",
    "Data": "/app/data",
    "Operations": "/app/operations",
    "Form of an act": "/app/acts/pause?of=contract:orders.v1",
}
DOCUMENT = ROOT / "docs" / "how-to" / "page.md"
HEAD = "| page | kB | with style, script and icon |\n|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"(?:\| .+\n)*")
FILES = re.compile(r'(?:href|src)="(/app/files/[^"]+)"')


def weights() -> dict[str, tuple[int, int]]:
    """Return the bytes of each page, and of it with all files that it names."""
    with opened(a_month()) as site:
        person = site.browser("shop", "producer", "steward", "operator", "consumer")
        drop = re.search(r'href="/app/drops/(\w{32})"', person.ask("/app/drops").text)
        assert drop
        measured = {}
        for name, path in PAGES.items():
            shown = person.ask(path.format(drop=drop[1]))
            assert shown.status == 200, (name, shown.text)
            files = sum(len(person.ask(file).text.encode()) for file in set(FILES.findall(shown.text)))
            own = len(shown.text.encode())
            measured[name] = own, own + files
    return measured


def test_no_page_is_heavy_and_the_documents_have_the_weights() -> None:
    measured = weights()
    table = HEAD + "".join(f"| {n} | {own / 1000:.0f} | {all_ / 1000:.0f} |\n" for n, (own, all_) in measured.items())
    text = DOCUMENT.read_text(encoding="utf-8")
    if os.environ.get("DROPGATE_WRITE_DOCS"):
        DOCUMENT.write_text(text := TABLE.sub(table, text), encoding="utf-8")

    written = TABLE.search(text)
    assert written
    rows = re.findall(r"^\| (.+) \| (\d+) \| (\d+) \|$", written[0], re.MULTILINE)
    assert [name for name, *_ in rows] == [*PAGES]
    for name, own, whole in rows:
        sizes = measured[name]
        assert sizes[1] < LARGEST, name
        assert all(abs(n - 1000 * int(w)) < 600 + n / 20 for n, w in zip(sizes, (own, whole), strict=True)), (
            f"{name}: {sizes}; run this test with DROPGATE_WRITE_DOCS=1 to write the table"
        )
