"""Restored data of consumers: a drop and the function that promotes it in, the result of that function out.

The key is held meanwhile, so that no other upload of it comes between. A crash leaves it held for a settled drop, which
is a difference of its own. A repair of that difference at the same moment frees the key: so the key is read again
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from contracts.errors import ServiceUnavailable, StaleWrite
from contracts.plan import Plan
from functions import keys
from functions.doctor.difference import unless_changed
from functions.drop import Drop, Promotion, Retraction
from functions.ports import Ports
from functions.ports.lineages import Lineage
from functions.ports.store import Stat
from functions.promotion.lineage import TRIES, claims_of
from functions.promotion.withdraw import is_named, withdraw_data
from functions.records.record import reread

T = TypeVar("T")


def put_back(ports: Ports, plan: Plan, drop: Drop, to: Promotion, lay: Callable[[], T]) -> T:
    """Restore a drop's data for consumers by `lay`, and record the new ETag in its key's item.

    StaleWrite if the drop, or the owner of its key, has changed since it was read; nothing is left then.
    """
    claims = claims_of(ports, drop, plan)
    if claims.key and claims.key.promoted != drop.id:
        raise StaleWrite("another upload of its key replaced it, or it was withdrawn")
    mine = claims.of(drop)
    if any(claim.promoting not in (None, drop.id) for claim in mine):
        raise ServiceUnavailable("another upload of its key is being promoted")
    if mine:
        ports.ledger.write((), *(replace(claim, promoting=drop.id) for claim in mine))
    laid: T | None = None
    try:
        unless_changed(ports, drop)
        laid = lay()
    finally:
        etag = laid.etag if isinstance(laid, Stat) else None
        _let_go(ports, plan, drop, to, tuple(replace(claim, version=claim.version + 1) for claim in mine), etag)
    return laid


def _let_go(ports: Ports, plan: Plan, drop: Drop, to: Promotion, held: tuple[Lineage, ...], etag: str | None) -> None:
    """Free the key, if it is held still; take away what was laid down if another upload came between."""
    for _ in range(TRIES):
        named, key = is_named(ports, plan, drop, reread(ports, drop)), claims_of(ports, drop, plan).key
        # Consumers should read it, and no other upload of its key is about to replace it.
        has_its_place = named and (key is None or key.promoting in (None, drop.id))
        if not has_its_place:
            _take_away(ports, plan, drop, to)
            raise StaleWrite(f"drop {drop.id[:10]} was withdrawn meanwhile, or another upload of its key replaced it")
        try:
            if held:
                each = (replace(claim, promoting=None, etag=claim.etag if etag is None else etag) for claim in held)
                ports.ledger.write((), *each)
        except StaleWrite:
            if (now := reread(ports, drop).promoted) and now.key != to.key:
                _take_away(ports, plan, drop, to)  # it moves elsewhere, and may have looked here before
            unless_changed(ports, drop)  # else the key may be a later attempt's by now
            held = claims_of(ports, drop, plan).of(drop)
        else:
            return
    raise ServiceUnavailable("the item of its key keeps changing")


def _take_away(ports: Ports, plan: Plan, drop: Drop, to: Promotion) -> None:
    if keys.is_table(to.key):
        ports.tables.take_out(f"{ports.zones.promoted}{to.key}", drop.id)
    else:
        withdraw_data(ports, drop, Retraction(to.key, to.attempt, plan.sha))
