"""Differences between buckets, ledger and catalog: the world in, each difference with its repair out.

Everything is read page by page, so memory does not grow with the number of objects; only the row counts of each drop of
one table at a time are held. Items under way, or younger than `GRACE`, are left to the functions that work on them. A
difference has a repair only if the repair is safe: it can be interrupted and repeated, and its writes are conditional
on the state that was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import islice

from contracts.decision import Decision
from contracts.errors import DestinationTaken, DocumentInvalid, ObjectGone, ObjectReplaced
from contracts.plan import Plan
from functions import keys
from functions.doctor.compare_tables import Counted, counted, of_rows, of_table
from functions.doctor.difference import GRACE, PAGE, Difference, looked_up, newer, stale, unless_changed, unreadable
from functions.doctor.restore import put_back
from functions.drop import PROMOTED, RETRACTING, Created, Drop, Location
from functions.flow.decide import recorded
from functions.flow.ingest import ingest
from functions.ports import Ports
from functions.ports.clock import stamp
from functions.ports.progress import Report, ignore
from functions.ports.store import ListedVersion, ListingCursor, Stat
from functions.promotion.copies import Gone, Replaced, Taken, Target, Unfinished, copy_to_consumers
from functions.promotion.lineage import claims_of
from functions.promotion.withdraw import withdraw_unless_named
from functions.records.failures import failure
from functions.records.outcome import unless_erased, write_results
from functions.records.receipts import write_receipt
from functions.records.record import reread
from functions.schedule.pointer_check import misdated

BY_SCHEDULE = "The schedule takes the next step every minute; `dropgate drops --stuck` gives the obstacle."
KEPT = timedelta(days=7)
"""For how long every deployment keeps receipts, evidence and staged files, at the least (the template's MinValue)."""


def differences(
    ports: Ports, contracts: Sequence[str | None], months: Sequence[str], seen: Report = ignore
) -> Iterator[Difference]:
    """Yield all differences: of the contracts' drops of these months (YYYY-MM), and of whole tables.

    `seen` receives the name of each object, record and drop with rows in a table.
    """
    yield from of_catalog(ports)
    yield from of_landing(ports, seen)
    yield from of_stage(ports, seen)
    yield from of_promoted(ports, seen)
    yield from of_batches(ports)
    for contract in contracts:
        outcome = counted(ports, contract) if contract else None
        table = outcome if isinstance(outcome, Counted) else None
        if table:
            yield from of_table(ports, table, seen)
        elif isinstance(outcome, Difference):
            yield outcome
        for month in months:
            for drop in ports.ledger.each(contract, month):
                seen(drop if isinstance(drop, str) else drop.id)
                if isinstance(drop, str):
                    yield unreadable(f"item {drop}")
                    continue
                try:
                    yield from of_record(ports, drop, table)
                except DocumentInvalid as error:  # which does not stop the comparison of the others
                    yield unreadable(f"drop {drop.id}", str(error))


def of_catalog(ports: Ports) -> Iterator[Difference]:
    """Yield what is wrong with the pointer, the index that it names, and the plans that the index names."""
    where = f"{ports.zones.catalog}current.json"
    try:
        shas = [entry.plan for entry in ports.catalog.index().entries]
        pointer = ports.catalog.pointer
        wrong = misdated(pointer, ports.ledger.newest_pointer(), ports.clock.now()) if pointer else None
    except DocumentInvalid as error:
        yield Difference("catalog", where, str(error), "`dropgate publish`.")
        return
    try:
        ports.catalog.routes()
    except DocumentInvalid as error:
        yield Difference("catalog", where, str(error), "`dropgate publish`; until then nobody hears of anything.")
    if wrong:
        yield Difference("catalog", where, wrong, "`dropgate publish`, and find out who put it there.")
    for sha in dict.fromkeys(shas):
        try:
            ports.catalog.plan(sha)
        except DocumentInvalid as error:
            yield Difference("catalog", f"{ports.zones.catalog}plans/{sha}.json", str(error), "`dropgate publish`.")


def of_landing(ports: Ports, seen: Report) -> Iterator[Difference]:
    """Yield uploads in landing without a record, and those that were moved and are still there."""
    bucket, _ = keys.split(ports.zones.landing)
    late = stamp(ports.clock.now() - GRACE)
    files = (file for file in _lying(ports, ports.zones.landing, seen) if file.written_at < late)
    for page in _pages(file for file in files if not keys.is_marker(file.key, file.size)):
        ids = {keys.drop_id(bucket, file.key, file.version): file for file in page}
        by_id = {drop.id: drop for drop in ports.ledger.drops(list(ids))}
        for drop_id, file in ids.items():
            where = Location(f"s3://{bucket}/{file.key}", file.version)
            drop = by_id.get(drop_id) or looked_up(ports, drop_id)
            if isinstance(drop, Difference):
                yield drop
            elif drop is None:
                created = Created(bucket, file.key, file.version, file.etag, file.size, "", file.written_at)
                do = "Ingest it; the schedule also does this sooner or later."
                finding = "is in landing and has no record"
                yield Difference("unknown-upload", where.uri, finding, do, partial(ingest, ports, created))
            elif not drop.in_flight and drop.source != where and _ours(ports.store.head(drop.source), drop):
                do = f"Delete this version: its bytes are at {drop.source.uri}."
                finding = f"is still in landing after drop {drop.id[:10]} was moved from there"
                yield Difference("left-in-landing", where.uri, finding, do, partial(ports.store.delete, where))


def of_stage(ports: Ports, seen: Report) -> Iterator[Difference]:
    """Yield staged objects that belong to no drop."""
    late = stamp(ports.clock.now() - GRACE)
    for page in _pages(_lying(ports, ports.zones.stage, seen)):
        mine = [file for file in page if file.current and file.key.count("/") > 2 and file.written_at < late]
        ids = {file.key: file.key.rsplit("/", 2)[-2] for file in mine}
        recorded = {drop.id for drop in ports.ledger.drops(list(dict.fromkeys(ids.values())))}
        for key, drop_id in ids.items():
            if drop_id not in recorded and looked_up(ports, drop_id) is None:
                where = f"s3://{keys.split(ports.zones.stage)[0]}/{key}"
                finding = f"is staged, but drop {drop_id[:10]} does not exist"
                yield Difference(
                    "staged-without-drop", where, finding, "Inspect it, or leave it: it is removed after `WorkDays`."
                )


def of_promoted(ports: Ports, seen: Report) -> Iterator[Difference]:
    """Yield objects that consumers read and no record names; files of a table are left to the table's own log."""
    bucket, folder = keys.split(ports.zones.promoted)
    tables: dict[str, bool] = {}
    late, last = stamp(ports.clock.now() - GRACE), ""
    for file in _lying(ports, ports.zones.promoted, seen):
        if file.key == last:
            continue  # a former version of the same key
        last, where = file.key, f"s3://{bucket}/{file.key}"
        contract, _, name = file.key.removeprefix(folder).partition("/")
        if contract not in tables:
            tables[contract] = bool(ports.store.listed(f"{keys.table_folder(ports.zones, contract)}_delta_log/", 1))
        if tables[contract] and keys.is_of_table(name):
            continue
        stat = ports.store.head(Location(where)) if file.written_at < late else None
        if stat is None:
            continue
        drop = looked_up(ports, stat.drop) if stat.drop else None
        if isinstance(drop, Difference):
            yield drop
        elif drop is None:
            finding = (
                f"has the tag of drop {stat.drop[:10]}, which has no record"
                if stat.drop
                else "was not written by dropgate"
            )
            do = "Find out who put it there, and move it away: consumers read it as a checked file."
            yield Difference("promoted-without-record", where, finding, do)
        elif not drop.in_flight and (where, stat.attempt) not in _named(ports, drop):
            finding = f"is of attempt {stat.attempt} of drop {drop.id[:10]}, which is {drop.state} and does not name it"
            if former := stale(ports, drop):
                yield Difference("promoted-without-record", where, finding, former.do)
                continue
            hide = partial(ports.store.withdraw, Location(where, etag=stat.etag))
            yield Difference(
                "promoted-without-record", where, finding, "Withdraw it; its bytes stay as an old version.", hide
            )


def of_batches(ports: Ports) -> Iterator[Difference]:
    """Yield batches whose runs are over, or were never started: only the schedule may start their jobs."""
    for batch in ports.ledger.in_flight(stamp(ports.clock.now() - GRACE)).batches:
        where = f"batch {batch.id}"
        if batch.run is None or batch.state == "claimed":
            finding = f"should have started try {batch.try_} at {batch.try_at}"
            yield Difference("batch-without-run", where, finding, BY_SCHEDULE)
        elif (outcome := ports.jobs.status(batch.run).outcome) != "working":
            finding = f"waits for run {batch.run}, which ended: {outcome}"
            yield Difference("batch-without-run", where, finding, BY_SCHEDULE)


def of_record(ports: Ports, drop: Drop, table: Counted | None = None) -> Iterator[Difference]:
    """Compare a record with the promoted, stage and reports zones, its contract's table and its key's current owner."""
    if drop.in_flight and drop.changed_at > stamp(ports.clock.now() - GRACE):
        return
    if newer(ports, drop):
        former = stale(ports, drop)  # of what somebody has brought further meanwhile nothing is said
        yield from (former,) if former else ()
        return
    try:
        plan = ports.catalog.plan(drop.plan) if drop.plan else None
    except DocumentInvalid as error:
        finding = f"has a plan that cannot be read: {error}"
        yield Difference(
            "catalog",
            f"drop {drop.id}",
            finding,
            "Publish the contract that the plan is from, then today's contracts. The drop was not compared.",
        )
        return
    if plan:
        yield from _keys(ports, drop, plan)
    if drop.state in PROMOTED:
        yield from _promoted(ports, drop)
        if table:
            yield from of_rows(ports, drop, table)
    young = drop.changed_at > stamp(ports.clock.now() - KEPT)
    if young and drop.in_flight and ports.store.head(drop.source) is None:
        do = "Its producer must send it again; the drop becomes failed by itself."
        yield Difference(
            "bytes-missing", f"drop {drop.id}", f"is {drop.state}, but {drop.source.uri} does not exist", do
        )
    if young:
        yield from _outcome(ports, drop, plan)
    if (
        young
        and drop.batch
        and drop.rows
        and drop.rows.rejected
        and not drop.forgotten
        and (batch := ports.ledger.batch(drop.batch))
        and not ports.store.listed(keys.evidence_folder(ports.zones, batch.contract, batch.claimed_at, batch.id), 1)
    ):
        finding = f"is {drop.state}, but the evidence of its batch {batch.id[:10]} does not exist"
        yield Difference("evidence-missing", f"drop {drop.id}", finding, f"`dropgate replay {drop.id[:10]} --retract`.")


def _promoted(ports: Ports, drop: Drop) -> Iterator[Difference]:
    if drop.promoted is None or drop.plan is None:
        yield Difference(
            "record", f"drop {drop.id}", f"is {drop.state} but names no promoted key", "Repair the record."
        )
        return
    target = f"{ports.zones.promoted}{drop.promoted.key}"
    if keys.is_table(drop.promoted.key):
        return  # a table: see `of_rows`
    stat = ports.store.head(Location(target))
    plan, where = ports.catalog.plan(drop.plan), f"drop {drop.id}"
    key = claims_of(ports, drop, plan).key
    if key and key.promoting:
        return  # another upload of the key is about to take its place
    if key and key.promoted != drop.id:  # another upload has taken its place, or was withdrawn since
        if key.version and not key.promoted:
            yield from _left(ports, plan, drop, stat)
        return
    if stat is None:
        finding, lies = f"is {drop.state}, but {target} does not exist", drop.promoted.rows or drop.source
        kept = ports.store.head(lies)
        if kept and kept.etag == (lies.etag or kept.etag):
            put = partial(_put_back, ports, drop, lies, target)
            yield Difference("promoted-missing", where, finding, f"Copy it there again from {lies.uri}.", put)
        else:
            what, do = _lost(drop)
            yield Difference("promoted-missing", where, finding, f"Its {what} are also gone: {do}.")
    elif not _ours(stat, drop):
        yield Difference(
            "promoted-taken", where, f"is {drop.state}, but another object is at {target}", "Inspect that object."
        )
    elif key and key.etag != stat.etag:
        finding = f"is at {target} with an ETag that differs from its key's item"
        note = partial(ports.ledger.write, (), replace(key, etag=stat.etag))
        yield Difference(
            "key-etag", where, finding, "Write the ETag to the item: otherwise the next upload fails.", note
        )


def _left(ports: Ports, plan: Plan, drop: Drop, stat: Stat | None) -> Iterator[Difference]:
    """Yield the difference if an object of a drop is still promoted although its key was freed."""
    if stat is None or drop.promoted is None or (stat.drop, stat.attempt) != (drop.id, drop.promoted.attempt):
        return
    where = f"drop {drop.id}"
    lies = f"is at {ports.zones.promoted}{drop.promoted.key}"
    finding = f"{lies}, but its key was freed: the upload that replaced it was withdrawn"
    if ports.store.listed(f"{keys.table_folder(ports.zones, plan.contract)}_delta_log/", 1):
        do = "Inspect it: rows of the table replaced it, and it stayed there as a file."
        yield Difference("promoted-left", where, finding, do)
        return

    def hide() -> None:  # if it has not come to another key since
        withdraw_unless_named(ports, plan, drop, reread(ports, drop))

    yield Difference("promoted-left", where, finding, "Withdraw it; its bytes stay as an old version.", hide)


def _keys(ports: Ports, drop: Drop, plan: Plan) -> Iterator[Difference]:
    """Yield items of keys that are held for a drop that is not under way."""
    for claim in claims_of(ports, drop, plan).each:
        mine = claim.promoting == drop.id and not drop.in_flight and reread(ports, drop).version == drop.version
        if mine or (claim.promoting and claim.promoted == drop.id and looked_up(ports, claim.promoting) is None):
            finding = f"is held for drop {(claim.promoting or '')[:10]}, which is {drop.state if mine else 'unknown'}"
            free = partial(ports.ledger.write, (), replace(claim, promoting=None))
            yield Difference(
                "key-held", f"key {claim.id}", finding, "Free it: other uploads of the key wait for it.", free
            )


def _put_back(ports: Ports, drop: Drop, source: Location, target: str) -> None:
    """Promote a drop's data again whose target is gone."""
    plan = ports.catalog.plan(drop.plan or "")
    kind = keys.media_type(drop.promoted.rows.uri if drop.promoted and drop.promoted.rows else plan.suffix)

    def lay() -> Stat | Gone | Taken | Replaced:
        while isinstance(laid := copy_to_consumers(ports, drop, source, Target(target, kind)), Unfinished):
            pass
        return laid

    assert drop.promoted
    laid = put_back(ports, plan, drop, drop.promoted, lay)
    if isinstance(laid, Taken):
        raise DestinationTaken(f"another object is now at {target}: find out who put it there")
    if isinstance(laid, Replaced):
        raise ObjectReplaced("{} does not hold its {}: {}".format(source.uri, *_lost(drop)))
    if isinstance(laid, Gone):
        raise ObjectGone("{} no longer holds its {}: {}".format(source.uri, *_lost(drop)))


def _outcome(ports: Ports, drop: Drop, plan: Plan | None) -> Iterator[Difference]:
    """Yield the receipt and the results that a drop with a receipt lacks."""
    if not drop.receipt:
        return
    where = f"drop {drop.id}"
    decision = failure(drop) if drop.state == "failed" else recorded(drop)

    def again(write: Callable[[Ports, Drop, Plan | None, Decision], str | None]) -> None:
        unless_changed(ports, drop)
        unless_erased(ports, write(ports, drop, plan, decision), reread(ports, drop))
        unless_changed(ports, drop)

    if ports.store.head(Location(drop.receipt)) is None:
        finding = f"is {drop.state}, but its receipt {drop.receipt} does not exist"
        do = "Write it again, without the list of checks."
        yield Difference("receipt-missing", where, finding, do, partial(again, write_receipt))
    results = keys.attempt_results_uri(ports.zones.results, drop.contract, drop.received_at, drop.id, drop.attempt)
    if ports.store.head(Location(results)) is None:
        finding = f"is {drop.state}, but its results {results} do not exist"
        do = "Write its problems there, without its checks."
        yield Difference("results-missing", where, finding, do, partial(again, write_results))


def _lost(drop: Drop) -> tuple[str, str]:
    """Return the data that consumers had of a drop, and what to do if it cannot be restored."""
    if drop.promoted and drop.promoted.rows:
        return "valid rows", f"`dropgate replay {drop.id[:10]} --retract`"
    return "staged bytes", "restore an earlier version, or have the file sent again"


def _lying(ports: Ports, zone: str, seen: Report) -> Iterator[ListedVersion]:
    after: ListingCursor | None = None
    while True:
        page = ports.store.versions(zone, after, 1000)
        for file in page.versions:
            seen(file.key)
            yield file
        if page.after is None:
            return
        after = page.after


def _pages(each: Iterator[ListedVersion]) -> Iterator[list[ListedVersion]]:
    while page := list(islice(each, PAGE)):
        yield page


def _ours(stat: Stat | None, drop: Drop) -> bool:
    return stat is not None and stat.drop == drop.id


def _named(ports: Ports, drop: Drop) -> list[tuple[str, int]]:
    """Return the keys and attempts that a record names as promoted."""
    places = (
        drop.promoted if drop.state in PROMOTED else None,
        drop.retracts if drop.state in RETRACTING else None,
    )
    return [(f"{ports.zones.promoted}{promotion.key}", promotion.attempt) for promotion in places if promotion]
