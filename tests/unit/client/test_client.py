"""The client in Python: lists, receipts, and files that are sent once, or not at all."""

from __future__ import annotations

import base64
import hashlib
import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dropgate_client.client import REFUSED, SEARCHED, Client
from dropgate_client.errors import DeliveryUnknown, NotConfigured, RequestRefused, StillInFlight, Unreachable
from dropgate_client.files import Watched, measure
from dropgate_client.sessions import ApplicationSession
from dropgate_client.tokens import Application, Token
from dropgate_client.transport import Transport
from dropgate_client.values import Claim, Drop, Refusal, Sent
from functions.api.models.drops import detail
from functions.drop import STATES
from tests.builders import a_drop as a_ledgers_drop
from tests.unit.client.conftest import DROP, KEY, a_drop
from tests.unit.client.servers import BREAK, Asked, Reply, Server
from tests.unit.client.test_sessions import a_login

UPLOAD = "POST /uploads"
PUT = "PUT /landing/x"
STORED = Reply(200, headers={"x-amz-version-id": "v1"})
BODY = b"id\n1\n"
DIGEST = base64.b64encode(hashlib.sha256(BODY).digest()).decode()
WARNING = {"code": "deprecated", "message": "It is old.", "fix": "Use v2.", "level": "warning", "place": None}


@pytest.fixture
def file(tmp_path: Path, server: Server) -> Path:
    """A file that the API permits to be sent, and that becomes a drop."""
    headers = {"Content-Length": "5", "x-amz-checksum-sha256": DIGEST}
    upload = {"method": "PUT", "url": f"{server.url}/landing/x?signed=1", "headers": headers, "seconds": 600}
    claim = {"key": KEY, "contract": "inmet-weather.v1", "version": "1.2.0", "checked": "file"}
    server.on(UPLOAD, Reply(200, {"upload": upload, **claim, "problems": [WARNING]}))
    server.on(PUT, STORED)
    server.on("GET /drops", Reply(200, {"drops": [a_drop("received")], "next": None}))
    path = tmp_path / "weather.csv"
    path.write_bytes(BODY)
    return path


def test_lists_go_on_to_their_last_page(client: Client, server: Server) -> None:
    server.on(
        "GET /drops",
        Reply(200, {"drops": [a_drop(id="a")], "next": "c1"}),
        Reply(200, {"drops": [], "next": "c2"}),
        Reply(200, {"drops": [a_drop(id="b")], "next": None}),
    )

    assert [drop.id for drop in client.drops(state="rejected", month="2026-01")] == ["a", "b"]
    own = {"state": "rejected", "month": "2026-01", "limit": "100"}
    assert [asked.query for asked in server.asked] == [own, own | {"cursor": "c1"}, own | {"cursor": "c2"}]
    assert {asked.headers["authorization"] for asked in server.asked} == {"Bearer secret-token"}


def test_names_in_addresses_are_quoted(client: Client, server: Server) -> None:
    server.on("GET /drops/..%2Fcontracts", Reply(404, {"detail": "There is no drop ../contracts."}))

    with pytest.raises(RequestRefused, match="There is no drop") as raised:
        client.drop("../contracts")
    assert raised.value.exit_code == 2


def test_token_that_is_refused_is_renewed_once(server: Server) -> None:
    session = ApplicationSession(Transport(), a_login(server), "s", lambda _: None)
    server.on("GET /contracts", Reply(401, {"detail": "ended"}), Reply(200, {"contracts": [], "next": None}))

    assert list(Client(session).contracts()) == []
    assert [asked.headers["authorization"] for asked in server.requests("GET /contracts")] == [
        "Bearer kept",
        "Bearer first",
    ]
    server.on("GET /contracts", Reply(401, {"detail": "The token is of nobody."}))
    with pytest.raises(RequestRefused, match=r"of nobody\. Run `dropgate-client login` again") as raised:
        list(Client(session).contracts())
    assert raised.value.exit_code == 3
    assert len(server.requests("GET /contracts")) == 4


def test_problem_names_its_places(client: Client, server: Server) -> None:
    errors = [{"place": "query.state", "kind": "unknown"}]
    server.on("GET /drops", Reply(422, {"detail": "There is no state x.", "errors": errors}))

    with pytest.raises(RequestRefused, match=r"There is no state x\. \(query\.state: unknown\)"):
        next(client.drops(state="x"))


def test_api_that_fails_is_unreachable(client: Client, server: Server) -> None:
    server.on("GET /drops", Reply(500, {"title": "dropgate failed"}))

    with pytest.raises(Unreachable, match="cannot answer now: dropgate failed Try again"):
        next(client.drops())
    server.on("GET /drops", Reply(200, b"<html>a portal</html>"))
    with pytest.raises(Unreachable, match="something else than JSON"):
        next(client.drops())


def test_file_is_announced_and_then_sent_once(client: Client, server: Server, file: Path) -> None:
    steps: list[tuple[str, int, int]] = []

    sent = client.send(file, KEY, lambda *step: steps.append(step))

    (announced,), (put,), (looked_up,) = (server.requests(what) for what in (UPLOAD, PUT, "GET /drops"))
    sha = hashlib.sha256(BODY).hexdigest()
    head = base64.b64encode(BODY).decode()
    assert json.loads(announced.body) == {"key": KEY, "size": 5, "sha256": sha, "head": head}
    assert (put.body, put.query) == (BODY, {"signed": "1"})
    assert {"content-type", "authorization", "transfer-encoding"}.isdisjoint(put.headers)
    assert put.headers["x-amz-checksum-sha256"] == DIGEST
    assert looked_up.query["key"] == KEY
    assert looked_up.query["version_id"] == "v1"
    assert isinstance(sent, Sent)
    assert (sent.drop, sent.sha256, sent.claim.contract) == (DROP, sha, "inmet-weather.v1")
    assert [problem.message for problem in sent.claim.problems] == ["It is old."]
    assert [step for step in steps if step[1]] == [("read", 5, 5), ("send", 5, 5), ("send", 5, 5)]


def test_file_that_would_be_refused_is_not_sent(client: Client, server: Server, file: Path) -> None:
    error = {"place": "body.head", "kind": "header-missing", "message": "No `id`.", "fix": "Add it.", "at": "header"}
    server.on(UPLOAD, Reply(422, {"type": REFUSED, "status": 422, "detail": "x", "errors": [error]}))

    refusal = client.send(file, KEY)

    assert isinstance(refusal, Refusal)
    (problem,) = refusal.problems
    assert (problem.code, problem.message, problem.fix, problem.place) == (
        "header-missing",
        "No `id`.",
        "Add it.",
        "header",
    )
    assert not refusal.is_unmatched
    assert client.match(file, KEY) == refusal
    assert server.requests(PUT) == []


def test_match_sends_nothing(client: Client, server: Server, file: Path) -> None:
    claim = client.match(file, KEY)

    assert isinstance(claim, Claim)
    assert (claim.contract, claim.version, claim.checked) == ("inmet-weather.v1", "1.2.0", "file")
    assert server.requests(PUT) == []


def test_request_that_does_not_fit_is_no_refusal(client: Client, server: Server, file: Path) -> None:
    server.on(UPLOAD, Reply(422, {"type": "urn:dropgate:problem:422", "detail": "The head has another length."}))

    with pytest.raises(RequestRefused, match="another length"):
        client.send(file, KEY)


def test_head_is_the_first_64_kib(client: Client, server: Server, file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 300)
    client.match(file, KEY)

    assert base64.b64decode(json.loads(server.requests(UPLOAD)[0].body)["head"]) == file.read_bytes()[:65536]
    assert hashlib.sha256(file.read_bytes()).hexdigest() == json.loads(server.requests(UPLOAD)[0].body)["sha256"]


@pytest.mark.parametrize("answer", [BREAK, Reply(500, b"<Error><Code>InternalError</Code></Error>"), Reply(200)])
def test_file_that_may_have_arrived_is_looked_for_and_not_sent_again(
    client: Client, server: Server, file: Path, answer: Reply | None
) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    server.on(PUT, answer)
    server.on(
        "GET /drops",
        Reply(200, {"drops": [a_drop()], "next": None}),  # an older one of the key
        Reply(200, {"drops": [a_drop("staged", id="new", received_at=now)], "next": None}),
    )

    sent = client.send(file, KEY)

    assert isinstance(sent, Sent)
    assert sent.drop == "new"
    assert len(server.requests(PUT)) == 1
    assert "version_id" not in server.requests("GET /drops")[0].query


def test_file_that_nobody_knows_of_is_an_error(client: Client, server: Server, file: Path, pauses: list[float]) -> None:
    server.on(PUT, BREAK)
    server.on("GET /drops", Reply(200, {"drops": [], "next": None}))

    with pytest.raises(DeliveryUnknown, match=rf"may have arrived, so it is not sent again.*drops --key {KEY}"):
        client.send(file, KEY)
    assert sum(pauses) == SEARCHED
    assert len(server.requests(PUT)) == 1


def test_busy_s3_is_asked_again(client: Client, server: Server, file: Path) -> None:
    server.on(PUT, Reply(503), STORED)

    assert isinstance(client.send(file, KEY), Sent)
    assert [asked.body for asked in server.requests(PUT)] == [BODY, BODY]


def test_file_that_changes_while_it_is_sent_is_refused(client: Client, server: Server, file: Path) -> None:
    server.on(PUT, Reply(400, b"<Error><Code>XAmzContentChecksumMismatch</Code></Error>"))

    with pytest.raises(RequestRefused, match="it changed while it was sent"):
        client.send(file, KEY)


@pytest.mark.parametrize("other", [b"id\n", b"id\n1\n2\n3\n"])
def test_file_of_another_length_is_not_sent(client: Client, server: Server, file: Path, other: bytes) -> None:
    permitted = server.answers[UPLOAD][0]

    def announced(_: Asked) -> Reply | None:
        file.write_bytes(other)
        assert isinstance(permitted, Reply)
        return permitted

    server.on(UPLOAD, announced)
    with pytest.raises(NotConfigured, match="changed while it was sent"):
        client.send(file, KEY)
    assert server.requests(PUT) == []


def test_file_that_grows_shorter_on_the_way_ends_the_transfer(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a" * (4 << 20))
    with Watched(measure(path), lambda *_: None) as opened:
        assert len(opened.read(1 << 20)) == 1 << 20
        path.write_bytes(b"")
        with pytest.raises(NotConfigured, match="changed while it was sent"):
            opened.read(1 << 20)


def test_large_file_is_never_whole_in_memory(client: Client, server: Server, file: Path) -> None:
    size = 64 << 20
    with file.open("wb") as sparse:
        sparse.truncate(size)
    permitted = server.answers[UPLOAD][0]
    assert isinstance(permitted, Reply)
    upload = {**permitted.body["upload"], "headers": {"Content-Length": str(size)}}
    server.on(UPLOAD, Reply(200, permitted.body | {"upload": upload}))
    tracemalloc.start()
    try:
        assert isinstance(client.send(file, KEY), Sent)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20


def test_missing_file_and_one_too_large_are_named(client: Client, tmp_path: Path) -> None:
    with pytest.raises(NotConfigured, match=r"The file .*nothing\.csv cannot be read: No such file"):
        client.send(tmp_path / "nothing.csv", KEY)


def test_waiting_ends_with_the_verdict(client: Client, server: Server, pauses: list[float]) -> None:
    states = ["received", "staged", "validating", "promoting", "accepted"]
    server.on(f"GET /drops/{DROP}", *(Reply(200, a_drop(state)) for state in states))
    seen: list[str] = []

    drop = client.wait(DROP, seen=lambda now: seen.append(now.state))

    assert (drop.state, drop.exit_code, seen) == ("accepted", 0, states)
    assert pauses == [0.5, 0.75, 1.125, 1.6875]


def test_waiting_has_an_end(client: Client, server: Server) -> None:
    server.on(f"GET /drops/{DROP}", Reply(200, a_drop("validating")))

    with pytest.raises(StillInFlight, match=f"still validating after 0 seconds.*show {DROP}"):
        client.wait(DROP, seconds=0)


def test_receipt_and_rejected_rows_are_written_beside_the_file(client: Client, server: Server, file: Path) -> None:
    receipt = {"format": 1, "verdict": "rejected", "rejected_rows": "rejected.csv"}
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, receipt))
    server.on(f"GET /drops/{DROP}/rejected-rows", Reply(200, {"url": f"{server.url}/rows?s=1", "name": "x"}))
    server.on("GET /rows", Reply(200, b"_record,_reasons,id\n1,id.required,\n"))

    written = client.save_receipt(Drop.of(a_drop("rejected")), file)

    assert [path.name for path in written] == ["weather.csv.receipt.json", "weather.csv.rejected.csv"]
    assert json.loads(written[0].read_text()) == receipt
    assert written[1].read_bytes() == b"_record,_reasons,id\n1,id.required,\n"
    assert "authorization" not in server.requests("GET /rows")[0].headers
    assert {path.name for path in file.parent.iterdir()} == {file.name, *(path.name for path in written)}


def test_rows_that_are_gone_leave_no_file(client: Client, server: Server, file: Path) -> None:
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, {"rejected_rows": "../../evil.csv"}))
    server.on(f"GET /drops/{DROP}/rejected-rows", Reply(200, {"url": f"{server.url}/rows"}))
    server.on("GET /rows", Reply(403))

    with pytest.raises(RequestRefused, match="cannot be downloaded: S3 answers with 403"):
        client.save_receipt(Drop.of(a_drop("rejected")), file)
    assert {path.name for path in file.parent.iterdir()} == {file.name, "weather.csv.receipt.json"}


def test_rows_that_have_expired_are_left_out(client: Client, server: Server, file: Path) -> None:
    server.on(f"GET /drops/{DROP}/receipt", Reply(200, {"rejected_rows": "rejected.csv"}))
    server.on(f"GET /drops/{DROP}/rejected-rows", Reply(404, {"detail": "They have expired."}))

    assert [path.name for path in client.save_receipt(Drop.of(a_drop("rejected")), file)] == [
        "weather.csv.receipt.json"
    ]


def test_drop_without_a_receipt_writes_nothing(client: Client, file: Path) -> None:
    assert client.save_receipt(Drop.of(a_drop("unmatched")), file) == ()


def test_findings_of_lint_have_the_path_of_the_file(client: Client, server: Server, tmp_path: Path) -> None:
    place = {"file": "contract.yaml", "line": 3, "column": 5}
    finding = {**place, "level": "error", "code": "c", "message": "m", "fix": "f"}
    server.on("POST /lint", Reply(200, {"failed": True, "findings": [finding], "contracts": []}))
    (tmp_path / "a.yaml").write_bytes(b"\xef\xbb\xbfid: x\n")

    failed, (fault,) = client.lint(tmp_path / "a.yaml")
    assert (failed, fault.file, fault.line) == (True, str(tmp_path / "a.yaml"), 3)
    assert json.loads(server.asked[0].body) == {"text": "id: x\n"}
    (tmp_path / "b.yaml").write_bytes(b"\xff")
    with pytest.raises(NotConfigured, match=r"b\.yaml is no text in UTF-8"):
        client.lint(tmp_path / "b.yaml")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("receipt", [None, "s3://internal/reports/x/receipt.json"])
@pytest.mark.parametrize("producer", [None, "shop"])
def test_drop_is_settled_when_the_ledger_says_so(state: Any, receipt: str | None, producer: str | None) -> None:
    drop = a_ledgers_drop(state=state, receipt=receipt, producer=producer)

    assert Drop.of(detail(drop, ()).model_dump()).is_settled is not drop.in_flight


@pytest.mark.parametrize(
    ("state", "verdict", "code"),
    [
        ("accepted_with_warnings", "accepted_with_warnings", 0),
        ("observed", "rejected", 1),
        ("rejected", "rejected", 1),
        ("unmatched", None, 1),
        ("superseded", None, 0),
        ("noted", None, 0),
        ("tried", "accepted_with_warnings", 0),
        ("tried", "rejected", 1),
        ("tried", None, 1),
        ("failed", None, 3),
        ("vanished", None, 3),
    ],
)
def test_exit_code_is_that_of_the_verdict(state: str, verdict: str | None, code: int) -> None:
    assert Drop.of(a_drop(state, verdict=verdict)).exit_code == code


def test_values_keep_secrets_out_of_their_text() -> None:
    assert "secret" not in repr(Application("https://i.example", "x"))
    assert "tok" not in repr(Token("tok", 0))
