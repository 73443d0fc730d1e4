"""The data of a stack that lasts: a start finds what was answered for before the former stack was killed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.state.sqlite_store import FORMAT, Kept, NotKept
from tests.e2e.killable import Killable

LANDING = "dropgate-landing"
MIB = 1024**2
DOCUMENT = {"Bucket": "dropgate-internal", "Key": "catalog/x"}
KEPT, GONE = ({"pk": {"S": "A"}, "sk": {"S": sk}} for sk in "12")


@dataclass
class Life:
    """The input of a stack, and the answers of the stacks that follow it."""

    stack: Killable
    before: list[tuple[Any, ...]] = field(default_factory=list)
    after: list[tuple[Any, ...]] = field(default_factory=list)
    document: list[bytes] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    received: list[list[str]] = field(default_factory=list)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    """A stack that is killed twice."""
    with Killable(tmp_path_factory.mktemp("state") / "data") as stack:
        life = Life(stack)
        write(stack)
        life.sent = [message(stack, body) for body in "ab"]
        receive(stack)  # now they are being worked on
        life.before = versions(stack)
        again(stack)
        life.after = versions(stack)
        life.document.append(stack.client("s3").get_object(**DOCUMENT)["Body"].read())
        life.items = items(stack)
        letters = receive(stack)
        life.received.append([m["Body"] for m in letters])
        done = next(m for m in letters if m["Body"] == "a")
        stack.client("sqs").delete_message(QueueUrl=queue(stack), ReceiptHandle=done["ReceiptHandle"])
        stack.client("s3").delete_object(**DOCUMENT)
        again(stack)
        life.received.append([m["Body"] for m in receive(stack)])
        yield life


def again(stack: Killable) -> None:
    """Kill the stack and start it."""
    stack.kill("stack")
    stack.start("stack")


def write(stack: Killable) -> None:
    """Objects in all ways in which they come and go, and items."""
    s3, db = stack.client("s3"), stack.client("dynamodb")
    first = s3.put_object(Bucket=LANDING, Key="x/ü +.csv", Body=b"1", Metadata={"a": "b"}, ChecksumAlgorithm="SHA256")
    s3.put_object(Bucket=LANDING, Key="x/ü +.csv", Body=b"2")
    tags: Any = {"TagSet": [{"Key": "t", "Value": "1"}]}
    s3.put_object_tagging(Bucket=LANDING, Key="x/ü +.csv", VersionId=first["VersionId"], Tagging=tags)
    for key in ("x/gone.csv", "x/marked.csv", "x/many-1", "x/many-2"):
        made = s3.put_object(Bucket=LANDING, Key=key, Body=b"3")
        if key == "x/gone.csv":
            s3.delete_object(Bucket=LANDING, Key=key, VersionId=made["VersionId"])
    s3.delete_object(Bucket=LANDING, Key="x/marked.csv")
    s3.delete_objects(Bucket=LANDING, Delete={"Objects": [{"Key": "x/many-1"}]})
    parts = s3.create_multipart_upload(Bucket=LANDING, Key="x/parts.csv")
    at = {"Bucket": LANDING, "Key": "x/parts.csv", "UploadId": parts["UploadId"]}
    etags = [s3.upload_part(**at, PartNumber=n, Body=b"p" * 5 * MIB)["ETag"] for n in (1, 2)]
    each = [{"PartNumber": n, "ETag": etag} for n, etag in enumerate(etags, 1)]
    s3.complete_multipart_upload(**at, MultipartUpload={"Parts": each})
    for body in (b"1", b"2"):
        s3.put_object(**DOCUMENT, Body=body)
    table: Any = {"TableName": stack.stack.names["LedgerTable"]}
    new: Any = [{"Put": {**table, "Item": {**key, "n": {"N": "1"}, "m": {"L": [{"S": "ü"}]}}}} for key in (KEPT, GONE)]
    db.transact_write_items(TransactItems=new)
    db.update_item(**table, Key=KEPT, UpdateExpression="SET n = :n", ExpressionAttributeValues={":n": {"N": "2"}})
    db.delete_item(**table, Key=GONE)


def items(stack: Killable) -> list[Any]:
    asked: Any = {"KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "A"}}}
    return list(stack.client("dynamodb").query(TableName=stack.stack.names["LedgerTable"], **asked)["Items"])


def queue(stack: Killable) -> str:
    return stack.stack.names["BatchDueQueue"]


def message(stack: Killable, body: str) -> str:
    return str(stack.client("sqs").send_message(QueueUrl=queue(stack), MessageBody=body)["MessageId"])


def receive(stack: Killable, name: str = "BatchDueQueue") -> list[dict[str, Any]]:
    sqs = stack.client("sqs")
    return list(sqs.receive_message(QueueUrl=stack.stack.names[name], MaxNumberOfMessages=10).get("Messages", []))


def versions(stack: Killable) -> list[tuple[Any, ...]]:
    """Return the versions of landing, with bytes, metadata and tags."""
    s3 = stack.client("s3")
    listed = s3.list_object_versions(Bucket=LANDING)
    rows = []
    for version in listed.get("Versions", []):
        at = {"Bucket": LANDING, "Key": version["Key"], "VersionId": version["VersionId"]}
        whole = s3.get_object(**at, ChecksumMode="ENABLED")
        tags = s3.get_object_tagging(**at)["TagSet"]
        facts = (
            version["IsLatest"],
            version["ETag"],
            version["LastModified"],
            whole["Metadata"],
            whole.get("ChecksumSHA256"),
        )
        rows.append((version["Key"], version["VersionId"], whole["Body"].read(), tags, *facts))
    markers = [(m["Key"], m["VersionId"], m["IsLatest"]) for m in listed.get("DeleteMarkers", [])]
    return [*rows, *markers]


def test_objects_last_with_all_their_versions(life: Life) -> None:
    assert len(life.before) == 8
    assert life.after == life.before


def test_object_without_versions_is_the_newest(life: Life) -> None:
    assert life.document == [b"2"]
    assert "Contents" not in life.stack.client("s3").list_objects_v2(Bucket=DOCUMENT["Bucket"], Prefix="catalog/x")


def test_items_last(life: Life) -> None:
    assert life.items == [{**KEPT, "n": {"N": "2"}, "m": {"L": [{"S": "ü"}]}}]
    assert items(life.stack) == life.items


def test_messages_last_until_they_are_deleted(life: Life) -> None:
    assert [sorted(bodies) for bodies in life.received] == [["a", "b"], ["b"]]


def test_upload_that_nobody_took_in_still_has_its_event(life: Life) -> None:
    assert any("x/many-2" in m["Body"] for m in receive(life.stack, "ObjectCreatedQueue"))


def test_folder_serves_one_stack_at_a_time(tmp_path: Path) -> None:
    first = Kept(tmp_path / "a" / "b")
    with pytest.raises(NotKept, match="in use by another stack: stop that one"):
        Kept(tmp_path / "a" / "b")
    first.close()
    Kept(tmp_path / "a" / "b").close()


def test_folder_that_another_version_wrote_is_refused(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept._rows.execute("UPDATE about SET format = 'dropgate 0'")
    kept.close()
    with pytest.raises(NotKept, match=f"was written by dropgate 0, and this is {FORMAT}: name another"):
        Kept(tmp_path)


def test_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotKept, match=r"cannot be written: .* Name another folder"):
        Kept(tmp_path / "file")


def test_what_is_begun_and_not_ended_is_not_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path)

    def broken() -> None:
        with kept.one():
            kept.put("item", "", "1", {})
            raise ValueError("half-way")

    with pytest.raises(ValueError, match="half-way"):
        broken()

    assert list(kept.all("item")) == []
    kept.close()


def test_folder_on_a_full_disk_ends_the_stack_and_what_was_kept_is_found(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.put("item", "", "1", {"a": 1})
    (pages,) = kept._rows.execute("PRAGMA page_count").fetchone()
    kept._rows.execute(f"PRAGMA max_page_count = {pages}")  # as SQLite sees a full disk

    with pytest.raises(NotKept, match=r"cannot be written any more \(database or disk is full\), so the stack stops"):
        kept.put("item", "", "2", "x" * MIB)
    with pytest.raises(NotKept, match="Free some space and start it again"):
        kept.put("item", "", "3", {})  # memory is ahead of the folder: nothing may be answered for
    with pytest.raises(NotKept):
        kept.check()

    kept.close()
    again = Kept(tmp_path)
    assert list(again.all("item")) == [("", {"a": 1})]
    again.close()


def test_folder_whose_file_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.sqlite").write_bytes(b"not a database " * 100)
    with pytest.raises(NotKept, match=r"cannot be used: file is not a database\. Free some space, or name another"):
        Kept(tmp_path)


def test_request_that_cannot_be_kept_is_not_answered_for(tmp_path: Path) -> None:
    with Killable(tmp_path / "data") as stack:
        with sqlite3.connect(tmp_path / "data" / "data.sqlite") as held:  # a writer of another program
            held.execute("PRAGMA busy_timeout = 0")
            held.execute("BEGIN IMMEDIATE")
            with pytest.raises(ClientError, match="503"):
                stack.client("s3").put_object(Bucket=LANDING, Key="x/1", Body=b"1")
            held.execute("ROLLBACK")
        with pytest.raises(ClientError, match="503"):
            stack.client("s3").put_object(Bucket=LANDING, Key="x/2", Body=b"1")
        again(stack)
        stack.client("s3").put_object(Bucket=LANDING, Key="x/3", Body=b"1")
        listed = stack.client("s3").list_objects_v2(Bucket=LANDING, Prefix="x/")["Contents"]
        assert [entry["Key"] for entry in listed] == ["x/3"]
