"""The contract store: keys of documents, published versions that never change, and the choice of a version."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.authoring import store as contract_store
from contracts.authoring.compiler.compile import Compiled, compile_each
from contracts.authoring.document.finding import Finding
from contracts.authoring.publication import kept, publish, refusals, text_of
from contracts.authoring.store import Title, documents, of_version, published_versions, title, title_of_key, verified
from contracts.errors import ContractInvalid, DocumentInvalid, StaleWrite
from infra.cli.main import main
from tests.unit.contracts.authoring.documents import HEAD, a_document, compiled
from tests.unit.infra.cli.test_publish import MemoryCatalog

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
ONE = a_document()
KEY = "contracts/1.0.0/orders/orders.yaml"


def put(store: MemoryCatalog, *texts: str) -> None:
    """Publish contracts as `dropgate publish` does."""
    contracts = [compiled(text) for text in texts]
    assert not refusals(contracts, store)
    publish([c.plan for c in contracts if c.plan], store, NOW, documents(contracts))


def refused(store: MemoryCatalog, text: str) -> tuple[Finding, ...]:
    return refusals([compiled(text)], store)


def version(number: str, text: str = ONE) -> str:
    return text.replace('"1.0.0"', f'"{number}"')


# ---- names


def test_document_lies_under_version_product_and_table() -> None:
    store = MemoryCatalog()
    put(store, ONE)
    assert store.documents[KEY] == ONE.encode()
    assert store.written[0] == KEY
    assert store.written[-1] == "current.json"


@pytest.mark.parametrize(
    ("written", "kept_as"), [("v1", "1.0.0"), ("1.2", "1.2.0"), ("1.2.3-rc.1", "1.2.3-rc.1"), ("1.2.3+build", "1.2.3")]
)
def test_version_has_one_spelling(written: str, kept_as: str) -> None:
    assert list(documents([compiled(version(written))])) == [f"contracts/{kept_as}/orders/orders.yaml"]


@given(st.text(min_size=1, max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_name_of_a_table_can_be_told_from_its_key(table: str) -> None:
    try:
        table.encode()
    except UnicodeEncodeError:
        return
    one = Title("orders", "1.0.0", table)
    assert title_of_key(one.key) == one
    assert one.key.count("/") == 3


@pytest.mark.parametrize(
    "key",
    [
        "plans/a.json",
        "contracts/a.yaml",
        "contracts/x/orders/a.yaml",
        "contracts/1.0.0/a/b/c.yaml",
        f"{KEY}.bak",
        "x/" + KEY,
    ],
)
def test_other_keys_are_none_of_the_store(key: str) -> None:
    assert title_of_key(key) is None


def test_draft_is_not_kept() -> None:
    assert documents([compiled(ONE.replace("active", "draft"))]) == {}


# ---- published versions never change


def test_same_text_again_moves_the_pointer_alone() -> None:
    store = MemoryCatalog()
    put(store, ONE)
    before = list(store.written)
    put(store, ONE)
    assert store.written == [*before, "current.json"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (ONE + "# a comment\n", '"1.0.1".'),
        (ONE.replace("status", "tags: [a]\nstatus"), '"1.0.1".'),
        (ONE.replace("producer: shop", "producer: store"), '"2.0.0" into'),
        (ONE.replace("active", "deprecated"), '"1.1.0".'),
        (ONE.replace("integer", "string"), '"2.0.0" into a file of its own, orders.v2.yaml'),
    ],
)
def test_another_text_is_refused_with_the_version_to_write(text: str, wanted: str) -> None:
    store = MemoryCatalog()
    put(store, ONE)
    (refusal,) = refused(store, text)
    assert (refusal.code, refusal.level, refusal.line) == (
        "published",
        "error",
        3 + text[: text.index("version:")].count("\n") - 2,
    )
    assert wanted in refusal.fix


def test_version_to_write_is_a_free_one() -> None:
    store = MemoryCatalog()
    for number in ("1.0.0", "1.0.1", "1.4.0", "2.0.0"):
        put(store, version(number))
    assert '"1.4.1"' in refused(store, ONE + "# a comment\n")[0].fix
    assert '"1.5.0"' in refused(store, ONE.replace("active", "deprecated"))[0].fix
    assert '"3.0.0"' in refused(store, ONE.replace("integer", "string"))[0].fix


def test_going_back_to_a_published_text_is_fine() -> None:
    store = MemoryCatalog()
    put(store, ONE)
    put(store, version("1.1.0"))
    put(store, ONE)
    assert [t.version for t in kept(store)] == ["1.0.0", "1.1.0"]


def test_text_of_an_older_dropgate_that_is_read_no_more_is_not_compared() -> None:
    store = MemoryCatalog()
    store.documents[KEY] = ONE.replace("integer", "no-type").encode()
    assert '"1.1.0"' in refused(store, ONE)[0].fix


def test_other_text_of_the_same_moment_stops_the_publish() -> None:
    class Racing(MemoryCatalog):
        def create(self, name: str, body: bytes) -> bool:
            self.documents.setdefault(KEY, b"theirs")
            return super().create(name, body)

    store, one = Racing(), compiled(ONE)
    assert one.plan
    with pytest.raises(StaleWrite, match="raise `version` in your contract above theirs"):
        publish([one.plan], store, NOW, documents([one]))
    assert "current.json" not in store.documents


# ---- a table stays one


WAIVED = "waivers: [{change: 'promote:promote', version: 1.1.0, because: all readers know}]"
TABLE = ONE.replace("format: csv", f"format: csv\n      {WAIVED}\n      promote: table")
ROWS = TABLE.replace("promote: table", "promote: rows")
SHOPS = ONE.replace("orders", "shops")
LIST = "value:\n      - {object: orders, files: shop/orders/*.csv, producer: shop, format: csv, promote: table}\n"
PARTS = ONE[: ONE.index("value:")].replace("schema:\n", "schema:\n  - name: lines\n") + LIST


def codes(store: MemoryCatalog, text: str) -> list[str]:
    return [f.code for f in refused(store, text)]


@pytest.mark.parametrize("other", [ONE, ROWS])
def test_table_in_force_is_not_left(other: str) -> None:
    store = MemoryCatalog()
    put(store, ONE)
    put(store, version("1.1.0", TABLE))
    assert codes(store, version("1.2.0", other)) == ["leaves-table"]
    assert codes(store, version("1.2.0", TABLE)) == codes(store, version("2.0.0", other)) == []


def test_former_object_is_no_way_back_from_a_table() -> None:
    store = MemoryCatalog()
    put(store, ONE)
    put(store, version("1.1.0", TABLE))
    assert codes(store, ONE) == ["leaves-table"]


def test_objects_and_rows_change_places() -> None:
    store = MemoryCatalog()
    put(store, ONE)
    put(store, version("1.1.0", ROWS))
    put(store, ONE)


def test_table_that_was_withdrawn_comes_back_as_one() -> None:
    store = MemoryCatalog()
    put(store, TABLE)
    put(store, SHOPS)
    assert codes(store, version("1.1.0", ROWS)) == ["leaves-table"]
    assert codes(store, version("1.1.0", TABLE)) == []


def test_table_of_one_object_of_several_is_known_when_it_comes_back() -> None:
    store = MemoryCatalog()
    lines, orders = compile_each(PARTS.encode(), "orders.v1.yaml")
    assert (lines.plan, orders.plan and orders.plan.contract) == (None, "orders.orders.v1")
    publish([p for p in [orders.plan] if p], store, NOW, documents([orders]))
    put(store, SHOPS)
    back = compile_each(version("1.1.0", PARTS.replace("promote: table", "promote: rows")).encode(), "orders.v1.yaml")
    assert [f.code for f in refusals(back, store)] == ["leaves-table"]


@pytest.mark.parametrize("lost", ["plans/", "contracts/", ("index/", "plans/")])
def test_table_is_known_by_what_is_left_of_the_catalog(lost: str | tuple[str, ...]) -> None:
    store = MemoryCatalog()
    put(store, TABLE)
    for name in [n for n in store.documents if n.startswith(lost)]:
        store.documents[name] = b"{"
    assert codes(store, version("1.1.0", ROWS)) == ["leaves-table"]


def test_table_that_nothing_readable_tells_of_is_not_held_against_anybody() -> None:
    store = MemoryCatalog()
    put(store, TABLE)
    for name in [n for n in store.documents if n.startswith(("plans/", "contracts/"))]:
        store.documents[name] = b"{"
    assert codes(store, version("1.1.0", ROWS)) == []


def test_publish_without_documents_leaves_no_table_either() -> None:
    store = MemoryCatalog()
    put(store, TABLE)
    before = list(store.written)
    plan = compiled(version("1.1.0", ROWS)).plan
    assert plan
    with pytest.raises(ContractInvalid, match=r"orders.v1 is promoted into a table: .* needs a new major version"):
        publish([plan], store, NOW)
    assert store.written == before


# ---- reading back


def several(*versions: str, id_: str = "orders", table: str = "orders") -> list[Title]:
    return [Title(id_, v, table) for v in versions]


@pytest.mark.parametrize(
    ("published", "latest"),
    [
        (("1.9.0", "1.10.0", "1.2.0"), "1.10.0"),
        (("1.0.0", "2.0.0-rc.1"), "1.0.0"),
        (("1.0.0-rc.2", "1.0.0-rc.10", "1.0.0-alpha"), "1.0.0-rc.10"),
        ((), None),
    ],
)
def test_latest_is_the_highest_that_is_done(published: tuple[str, ...], latest: str | None) -> None:
    title = of_version(several(*published))
    assert (title and title.version) == latest


@pytest.mark.parametrize(("asked", "expected"), [("1.0.0", "1.0.0"), ("v1", "1.0.0"), ("1.1", None), ("newest", None)])
def test_pinned_version_is_that_or_none(asked: str, expected: str | None) -> None:
    one = of_version(several("1.0.0", "2.0.0"), asked)
    assert (one and one.version) == expected


def test_name_is_of_an_id_a_contract_or_a_table() -> None:
    every = [*several("1.0.0", "2.0.0", "1.5.0"), *several("1.0.0", table="lines"), *several("9.0.0", id_="shops")]
    assert [t.version for t in published_versions(every, "orders.v1")] == ["1.0.0", "1.0.0", "1.5.0"]
    assert len(published_versions(every, "orders")) == 4
    assert published_versions(every, "orders/lines") == several("1.0.0", table="lines")
    assert published_versions(every, "order") == []


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        ONE.encode()[:-200],
        b"\xff" + ONE.encode(),
        version("1.0.1").encode(),
        ONE.replace("id: o", "id: x").encode(),
    ],
)
def test_document_is_read_whole_or_not_at_all(damaged: bytes) -> None:
    store = MemoryCatalog()
    store.documents[KEY] = damaged
    (one,) = kept(store)
    with pytest.raises(DocumentInvalid, match="is not what its name says"):
        text_of(store, one)


def test_document_that_is_gone_is_said() -> None:
    with pytest.raises(DocumentInvalid, match="is not there any more"):
        text_of(MemoryCatalog(), Title("orders", "1.0.0", "orders"))


# ---- the command, of a folder


def run(*words: str) -> Result:
    return CliRunner(mix_stderr=False).invoke(main, ["contract", *words], prog_name="dropgate")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three versions of a contract and another contract."""
    monkeypatch.chdir(tmp_path)
    kept_in = tmp_path / "kept"
    kept_in.mkdir()
    for number in ("1.0.0", "1.2.0", "2.0.0"):
        (kept_in / f"{number}.yaml").write_text(version(number), encoding="utf-8")
    other = ONE.replace("id: orders", "id: shops")
    (kept_in / "shops.yaml").write_text(other, encoding="utf-8")
    return kept_in


@pytest.mark.usefixtures("folder")
def test_command_reads_the_latest_or_a_pinned_version() -> None:
    assert run("orders", "--from", "kept").stdout == version("2.0.0")
    assert run("orders.v1", "--from", "kept").stdout == version("1.2.0")
    assert run("orders", "--version", "1.0.0", "--from", "kept").stdout == ONE
    document = json.loads(run("orders", "--from", "kept", "--format", "json").stdout)
    assert document == {
        "contract": "orders.v2",
        "version": "2.0.0",
        "table": "orders",
        "key": "contracts/2.0.0/orders/orders.yaml",
        "document": version("2.0.0"),
    }


@pytest.mark.usefixtures("folder")
def test_command_lists_what_there_is() -> None:
    assert run("--from", "kept").stdout == "orders.v1  1.0.0, 1.2.0\norders.v2  2.0.0\nshops.v1   1.0.0\n"
    assert len(json.loads(run("--from", "kept", "--format", "json").stdout)) == 4


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("order.v1",), "No contract `order.v1` was ever published. Did you mean `orders.v1`?"),
        (("orders", "--version", "3"), "`orders` has no version `3`. Published are `1.0.0`, `1.2.0`, `2.0.0`."),
        (("orders", "--catalog", "s3://a/b/"), "Name one of --from and --catalog."),
    ],
)
def test_what_is_not_there_is_a_usage_error(words: tuple[str, ...], message: str) -> None:
    result = run(*words, "--from", "kept")
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize("broken", ["a: [", "a: 1\n", ONE + "# otherwise\n"])
def test_folder_is_read_whole_or_not_at_all(folder: Path, broken: str) -> None:
    (folder / "broken.yaml").write_text(broken, encoding="utf-8")
    assert isinstance(run("shops", "--from", "kept").exception, ContractInvalid)


def test_title_of_what_says_nothing_is_none() -> None:
    for text in ("[]", "a: 1", HEAD, ONE.replace('"1.0.0"', "x"), ONE.replace("id: orders", "id: a/b")):
        one: Compiled = compiled(text)
        assert one.document is None or title(one.document) is None, text
    assert verified(Title("orders", "1.0.0", "orders"), ONE.encode()) == ONE.encode()
    assert contract_store.LATEST == "latest"
