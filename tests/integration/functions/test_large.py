"""Files that one CopyObject cannot move: in parts through the emulated S3, which refuses what S3 refuses."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from functions.aws.clients import Clients, ports_from
from functions.aws.s3 import S3Store
from functions.drop import Drop, Location
from functions.ports import Ports
from functions.ports.store import CopyTag, Stat
from functions.promotion.copies import InPlace, Replaced, Taken, Target, Unfinished, copy_to_consumers, move
from infra.local.cloud import Cloud
from infra.local.template.stack import Stack
from tests.builders import a_drop

MIB = 1024**2
BODY = bytes(range(256)) * (12 * MIB // 256) + b"the end"
LIMIT = 8 * MIB


@dataclass
class Site:
    """A world in which one copy moves 8 MiB, and a file of 12 in it."""

    ports: Ports
    s3: Any
    landing: str
    name: str

    def uploaded(self) -> Drop:
        made = self.s3.put_object(Bucket=self.landing, Key=f"large/{self.name}", Body=BODY)
        source = Location(f"s3://{self.landing}/large/{self.name}", made["VersionId"])
        return a_drop(id=self.name, size=len(BODY), source=source)

    def target(self, zone: str) -> str:
        return f"{getattr(self.ports.zones, zone)}large/{self.name}"

    def whole(self, uri: str) -> bytes:
        return self.ports.store.get(uri)

    def uploads(self, zone: str) -> list[Any]:
        """Return the copies that are begun and not ended."""
        bucket = getattr(self.ports.zones, zone).split("/")[2]
        return [u for u in self.s3.list_multipart_uploads(Bucket=bucket).get("Uploads", []) if self.name in u["Key"]]


@pytest.fixture
def site(cloud: Cloud, clients: Clients, stack: Stack) -> Iterator[Site]:
    variables = stack.functions["ScheduleFunction"].environment
    ports = ports_from({**variables, "DROPGATE_LARGEST_COPY": str(LIMIT)}, clients)
    ports = replace(ports, store=S3Store(clients.s3, part=5 * MIB, most=2))
    before, cloud.largest_copy = cloud.largest_copy, LIMIT
    yield Site(ports, clients.s3, stack.names["LandingBucket"], uuid.uuid4().hex)
    cloud.largest_copy = before


def staged(site: Site) -> Drop:
    """A drop that has been carried, in two calls."""
    drop = site.uploaded()
    outcomes = [move(site.ports, drop, site.target("stage")) for _ in range(2)]
    assert outcomes[0] == Unfinished()
    assert isinstance(outcomes[1], InPlace)
    return replace(drop, source=outcomes[1].to)


def test_one_copy_moves_no_more_than_s3_allows(site: Site) -> None:
    drop = site.uploaded()
    source = {"Bucket": site.landing, "Key": f"large/{site.name}"}
    with pytest.raises(ClientError, match="larger than the maximum allowable size for a copy source: 8388608"):
        site.s3.copy_object(Bucket=site.landing, Key="large/copy", CopySource=source)
    begun = site.s3.create_multipart_upload(Bucket=site.landing, Key="large/copy")
    part = {"Bucket": site.landing, "Key": "large/copy", "UploadId": begun["UploadId"], "CopySource": source}
    for wrong in (f"bytes=0-{LIMIT}", f"bytes=0-{len(BODY)}"):
        with pytest.raises(ClientError, match=r"Invalid(Request|Argument)"):
            site.s3.upload_part_copy(**part, PartNumber=1, CopySourceRange=wrong)
    small = site.s3.upload_part_copy(**part, PartNumber=1, CopySourceRange="bytes=0-99")["CopyPartResult"]["ETag"]
    last = site.s3.upload_part_copy(**part, PartNumber=2, CopySourceRange="bytes=100-199")["CopyPartResult"]["ETag"]
    each: Any = {"Parts": [{"PartNumber": n, "ETag": etag} for n, etag in ((1, small), (2, last))]}
    with pytest.raises(ClientError, match="EntityTooSmall"):
        site.s3.complete_multipart_upload(
            Bucket=site.landing, Key="large/copy", UploadId=begun["UploadId"], MultipartUpload=each
        )
    assert site.ports.store.head(drop.source)


def test_large_file_is_carried_in_parts_with_our_mark(site: Site) -> None:
    drop = staged(site)
    stat = site.ports.store.head(Location(site.target("stage")))

    assert site.whole(site.target("stage")) == BODY
    assert stat
    assert (stat.drop, stat.attempt, stat.size, stat.sha256) == (drop.id, 1, len(BODY), None)
    assert stat.etag == drop.source.etag
    assert site.uploads("stage") == []


def test_large_file_is_promoted_over_what_it_names_alone(site: Site) -> None:
    drop, target = staged(site), site.target("promoted")
    site.ports.store.put(target, b"before", "text/csv")
    before = site.ports.store.head(Location(target))
    assert before
    assert copy_to_consumers(site.ports, drop, drop.source, Target(target, replaces=before.etag)) == Unfinished()
    done = copy_to_consumers(site.ports, drop, drop.source, Target(target, replaces=before.etag))

    assert isinstance(done, Stat)
    assert site.whole(target) == BODY
    assert copy_to_consumers(site.ports, drop, drop.source, Target(target, replaces=before.etag)) == done, (
        "it is found by its tag"
    )


def test_rows_larger_than_their_file_are_promoted_in_parts(site: Site) -> None:
    drop, target = staged(site), site.target("promoted")
    small = replace(drop, size=100, source=Location("s3://elsewhere/small"))
    outcomes = [copy_to_consumers(site.ports, small, drop.source, Target(target)) for _ in range(2)]

    assert outcomes[0] == Unfinished()
    assert isinstance(outcomes[1], Stat)
    assert site.whole(target) == BODY


def test_large_file_finds_its_target_taken(site: Site) -> None:
    drop, target = staged(site), site.target("promoted")
    copy_to_consumers(site.ports, drop, drop.source, Target(target))
    site.ports.store.put(target, b"somebody else's", "text/csv")

    assert copy_to_consumers(site.ports, drop, drop.source, Target(target)) == Taken()
    assert site.whole(target) == b"somebody else's"
    assert site.uploads("promoted") == []


def test_staged_bytes_that_were_replaced_half_way_are_never_promoted(site: Site) -> None:
    drop, target = staged(site), site.target("promoted")
    copy_to_consumers(site.ports, drop, drop.source, Target(target))
    site.ports.store.put(drop.source.uri, b"x" * len(BODY), "text/csv")

    assert copy_to_consumers(site.ports, drop, drop.source, Target(target)) == Replaced()
    assert site.ports.store.head(Location(target)) is None
    assert site.uploads("promoted") == []


def test_upload_that_was_broken_off_is_begun_anew(site: Site) -> None:
    drop, target, tag = staged(site), site.target("promoted"), CopyTag(site.name, 1)
    copy_to_consumers(site.ports, drop, drop.source, Target(target))
    first = site.ports.ledger.upload(tag, target)
    assert first
    site.ports.store.abort_copy(first, target)
    site.ports.store.abort_copy(first, target)
    outcomes = [copy_to_consumers(site.ports, drop, drop.source, Target(target)) for _ in range(3)]

    assert outcomes[:2] == [Unfinished(), Unfinished()]
    assert isinstance(outcomes[2], Stat)
    assert site.ports.ledger.upload(tag, target) != first


def test_name_of_an_upload_is_noted_once(site: Site) -> None:
    tag, ledger = CopyTag(site.name, 1), site.ports.ledger

    assert ledger.upload(tag, "s3://a/b") is None
    assert [ledger.note_upload(tag, "s3://a/b", u, None) for u in ("one", "two")] == [True, False]
    assert ledger.upload(tag, "s3://a/b") == "one"
    assert [ledger.note_upload(tag, "s3://a/b", "two", u) for u in ("other", "one")] == [False, True]
    assert ledger.upload(tag, "s3://a/b") == "two"
