"""Erasure of a drop's data: a settled drop, who and why in; the erased data, or why it cannot be erased, out.

The record says `forgetting` before the first byte goes and `forgotten` after the last: after an interruption the next
call continues. Every version is erased, also the former versions of rewritten files, and the delete markers of our own
bucket. The record remains: key, states, verdict, counts, the person and the reason; no text that may quote the file.

Files of a table that hold only rows of the drop are erased once the table's log no longer names them. Rows that a
commit has written into other files are in no version that readers get; `dropgate maintain` removes those files.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from contracts.errors import ObjectGone, ObjectReplaced, ServiceUnavailable, StaleWrite
from contracts.job import JobRequest, JobResult
from functions import keys
from functions.drop import PROMOTED, Drop, Forgotten, Location, NoChange, advance
from functions.ports import Ports
from functions.ports.batches import Batch
from functions.ports.store import ListingCursor
from functions.promotion.lineage import TRIES
from functions.records.outcome import contracts_of, results_of

Without = Callable[[bytes, str], bytes | None]
"""The rows of a Parquet file that are not of a drop; None where none is of it."""
MOST, EVERY = 1000, sys.maxsize
"""Versions of objects that are listed at once, and how many objects of a folder are erased."""


@dataclass(frozen=True, slots=True)
class Erased:
    """The drop as it is now, the erased or rewritten objects, and the tables whose former files may have its rows."""

    drop: Drop
    objects: tuple[str, ...]
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotForgotten:
    """The reason why a drop is not erased."""

    reason: str


def forgettable(ports: Ports, drop: Drop, *, promoted: bool) -> NotForgotten | None:
    """Return why a drop cannot be erased; None if it can."""
    ports = ports.of(trial=drop.trial)
    answer = advance(drop, "forgetting", drop.changed_at)
    if drop.in_flight or isinstance(answer, NoChange):
        return NotForgotten(
            f"it is {drop.state}, so its attempt is not over" if drop.in_flight else f"it is {drop.state}"
        )
    if promoted and (drop.state in PROMOTED or drop.retracts):
        return NotForgotten("its file is promoted: it must be withdrawn first, by `dropgate reject`")
    if any(batch.state != "ended" for batch in _batches(ports, drop)):
        return NotForgotten("its batch is not over, and its other drops are still judged by these data")
    for table in tables(ports, drop) if promoted else ():
        if many := ports.tables.count(table).get(drop.id):
            return NotForgotten(f"the table {table} has {many:,} rows of it: `dropgate doctor --repair` takes them out")
    return None


def tables(ports: Ports, drop: Drop) -> tuple[str, ...]:
    """Return the tables of the contracts that have judged a drop."""
    each = (keys.table_folder(ports.zones, contract) for contract in contracts_of(ports, drop))
    return tuple(table for table in each if ports.store.listed(f"{table}_delta_log/", 1))


def left(ports: Ports, drop: Drop, *, promoted: bool) -> Iterator[Location]:
    """Yield versions of a drop in landing, stage, held, jobs, results and reports, and on request in promoted."""
    ports = ports.of(trial=drop.trial)
    landed = ports.store.remaining(f"s3://{drop.bucket}/{drop.key}")
    yield from (version.at for version in landed if version.at.version == drop.version_id)
    contracts = contracts_of(ports, drop)
    folders = [f"{keys.minute_folder(ports.zones, c, drop.received_at)}{drop.id}/" for c in contracts]
    producers = {entry.producer for entry in ports.catalog.index().entries} | ({drop.producer} - {None})
    folders += [f"{ports.zones.reports}{producer}/{drop.id}/" for producer in sorted(map(str, producers))]
    for batch in _batches(ports, drop):
        for nth in range(1, batch.try_ + 1):
            folders.append(keys.rejected_folder(ports.zones, batch.id, nth, drop.id))
            folders.append(keys.valid_folder(ports.zones, batch.id, nth, drop.id))
            folders.append(keys.scratch_folder(ports.zones, batch.id, nth))  # of a run that died, as its batch is over
    for place in (*folders, *results_of(ports, drop), keys.held_uri(ports.zones, drop.id)):
        yield from (version.at for version in ports.store.remaining(place))
    for contract in contracts if promoted else ():
        for key in (f"{contract}/{drop.name}", f"{contract}/{drop.id}/{drop.name.rsplit('/', 1)[-1]}"):
            yield from _versions(ports, f"{ports.zones.promoted}{key}", drop)
        # Of its own files in the table's folder, all but those that the table names now.
        table, named = keys.table_folder(ports.zones, contract), None
        for at in _versions(ports, f"{table}{keys.data_folder(drop.id)}", drop):
            if named is None:
                named = {f"{table}{file}" for file in ports.tables.files(table)}
            if at.uri not in named:
                yield at


def forget(
    ports: Ports, drop: Drop, by: str, because: str, without: Without, *, promoted: bool = False
) -> Erased | NotForgotten:
    """Erase all data of a drop; promoted data only on request.

    Also NotForgotten if somebody else has brought the drop further before all was erased.
    """
    ports = ports.of(trial=drop.trial)
    if why := forgettable(ports, drop, promoted=promoted):
        return why
    at = ports.at()
    erasure = Forgotten(by, because, at)
    texts: dict[str, object] = {
        "problems": (),
        "header_line": None,
        "marks": (),
        "figures": {},
        "history": {},
        "receipt": None,
    }
    began = _written(ports, drop, "forgetting", forgotten=erasure, **texts)
    if began is None:
        return NotForgotten("somebody else changed it at this moment; read it again")
    objects = []
    for location in left(ports, began, promoted=promoted):
        ports.store.delete(location)
        objects.append(location.uri)
    for batch in _batches(ports, began):
        objects += _rows(ports, batch, began, without)
        objects += _documents(ports, batch, began)
        # What it overwrote or deleted, of any drop: its job is over, and nothing reads it again.
        for folder in (f"{ports.zones.jobs}{batch.id}/", _evidence(ports, batch)):
            for version in ports.store.remaining(folder):
                if version.marker or not version.current:
                    ports.store.delete(version.at)
    done = _written(ports, began, "forgotten", forgotten=replace(erasure, done=True))
    if done is None:
        return NotForgotten("somebody else has brought it further meanwhile, and may have left more; call it again")
    return Erased(done, tuple(dict.fromkeys(objects)), tables(ports, began) if promoted else ())


def _written(ports: Ports, drop: Drop, event: str, **changes: object) -> Drop | None:
    answer = advance(drop, event, ports.at(), **changes)  # type: ignore[arg-type]
    if isinstance(answer, NoChange):
        return None
    try:
        ports.ledger.write((answer,))
    except StaleWrite:
        return None
    return answer.drop


def _batches(ports: Ports, drop: Drop) -> list[Batch]:
    """The batches that judged a drop, as far as its history names them."""
    ids = {step.batch for step in ports.ledger.history(drop.id)} | {drop.batch}
    batches = (ports.ledger.batch(batch_id) for batch_id in sorted(filter(None, ids)))
    return [batch for batch in batches if batch]


def _rows(ports: Ports, batch: Batch, drop: Drop, without: Without) -> Iterator[str]:
    """Rewrite each evidence file of a batch without the failing rows of a drop; yield the URIs."""
    for uri in ports.store.listed(_evidence(ports, batch), EVERY):
        if not uri.endswith(".parquet"):
            continue
        if batch.members == (drop.id,):
            for version in ports.store.remaining(uri):
                ports.store.delete(version.at)
        elif not _rewritten(ports, uri, lambda rows: without(rows, drop.id), "application/octet-stream"):
            continue
        yield uri


def _evidence(ports: Ports, batch: Batch) -> str:
    return keys.evidence_folder(ports.zones, batch.contract, batch.claimed_at, batch.id)


def _documents(ports: Ports, batch: Batch, drop: Drop) -> Iterator[str]:
    """Rewrite requests and results of a batch's tries without a drop's texts: its header line, samples of values."""

    def unasked(body: bytes) -> bytes | None:
        request = JobRequest.loads(body)
        asked = tuple(asked_drop for asked_drop in request.drops if asked_drop.id != drop.id)
        return replace(request, drops=asked).dumps().encode() if len(asked) < len(request.drops) else None

    def untold(body: bytes) -> bytes | None:
        result = JobResult.loads(body)
        kept = tuple(judged for judged in result.drops if judged.drop != drop.id)
        return replace(result, drops=kept).dumps().encode() if len(kept) < len(result.drops) else None

    for nth in range(1, batch.try_ + 1):
        request, result = keys.request_uri(ports.zones, batch.id, nth), keys.result_uri(ports.zones, batch.id, nth)
        for uri, rest, kind in ((request, unasked, "json"), (result, untold, "jsonl")):
            if _rewritten(ports, uri, rest, keys.CONTENT_TYPES[kind]):
                yield uri


def _rewritten(ports: Ports, uri: str, rest: Callable[[bytes], bytes | None], content_type: str) -> bool:
    """Overwrite exactly the document that was read with the rest of it; False if nothing has to be removed.

    Other people may forget drops of the same batch at the same time: the parts that they removed stay removed.
    """
    for _ in range(TRIES):
        try:
            read = ports.store.get_if_changed(uri, None)
            kept = rest(read[0]) if read else None
        except ObjectGone:
            return False
        if read is None or kept is None:
            return False
        try:
            ports.store.put(uri, kept, content_type, read[1])
        except ObjectReplaced:
            continue
        return True
    raise ServiceUnavailable(f"others write {uri} again and again; call it again")


def _versions(ports: Ports, uri: str, drop: Drop) -> Iterator[Location]:
    """Yield all versions of a promoted key, or below a folder, that have the tag of a drop."""
    bucket, key = keys.split(uri)
    after: ListingCursor | None = None
    while True:
        page = ports.store.versions(uri, after, MOST)
        for file in page.versions:
            at = Location(f"s3://{bucket}/{file.key}", file.version)
            stat = ports.store.head(at) if file.key == key or uri.endswith("/") else None
            if stat and stat.drop == drop.id:
                yield at
        if page.after is None:
            return
        after = page.after
