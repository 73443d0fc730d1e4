"""The agreements of a contract beyond the form of its files: a plan and a document in, terms and their words out.

They are when files come, which belong together, what readers get, and the parts of the document that machines do not
read. The page shows all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.authoring.drop_block.parse import is_block
from contracts.plan import Plan, Promoted
from contracts.terms.arrival import END, MIDNIGHT, WEEKDAYS, Arrival
from contracts.terms.file_sets import SetRule

READERS: dict[Promoted, str] = {
    "object": "the file as it came",
    "rows": "a file of the valid rows, with the same name",
    "table": "the valid rows, in the table of the contract",
}
"""What readers get of an accepted file."""
DAYS = dict(zip(WEEKDAYS, ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), strict=True))
SAME_KEY = {
    "supersede": "If it is accepted, it takes the place of the older one.",
    "reject": "If the older one was accepted, it is rejected.",
    "version": "If it is accepted, readers get both, each under a name of its own.",
}
SAME_CONTENT = {
    "allow": "Nothing happens.",
    "warn": "The file is accepted with a warning.",
    "reject": "The file is rejected.",
}
TITLES = {
    "slaProperties": "Service levels",
    "support": "Support",
    "team": "Team",
    "servers": "Servers",
    "roles": "Roles",
    "price": "Price",
    "domain": "Domain",
    "tags": "Tags",
    "dataProduct": "Data product",
    "tenant": "Tenant",
    "authoritativeDefinitions": "Definitions",
    "customProperties": "Other properties",
    "contractCreatedTs": "Created",
    "context": "Context",
    "slaDefaultElement": "Service levels are about",
}
"""The titles of keys of a document; another key is its own title."""


def agreed(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield when files come, which belong together, what they are compared with, and what readers get of them."""
    if plan.arrival:
        yield "Expected", _window(plan.arrival)
    if plan.set:
        yield "Sets", _set(plan.set)
    for reference in plan.references:
        other = reference.path or reference.contract or ""
        yield "Compared with", f"{reference.name}: {other}" if other != reference.name else other
    whole = " (only observed: a file that breaks the contract, too)" if plan.mode == "observe" else ""
    if plan.lane == "spark":
        yield "Judged by", "Spark alone, small files too"
    yield "Readers get", READERS["object" if plan.mode == "observe" else plan.promote] + whole


def _window(arrival: Arrival) -> str:
    """Return the days and times at which files are to come."""
    days = "each day" if arrival.days == WEEKDAYS else " and ".join(f"each {DAYS[day]}" for day in arrival.days)
    files = "1 file" if arrival.files == 1 else f"{arrival.files:,} files"
    since = "" if arrival.since == MIDNIGHT else f" from {arrival.since}"
    until = "midnight" if arrival.by == END else arrival.by
    return f"{files} {days}{since} by {until} ({arrival.zone})"


def _set(rule: SetRule) -> str:
    """Return which files are judged together, and when they are all there."""
    if rule.parts:
        whole = f"it has {rule.parts:,} files"
    else:
        whole = (
            f"the marker {rule.marker} has come" if rule.marker else f"all files of the manifest {rule.manifest} have"
        )
        whole += "" if rule.marker else " come"
    hours, minutes = divmod(rule.within // 60, 60)
    time = f"{hours} h" if not minutes else f"{hours} h {minutes} min" if hours else f"{minutes} min"
    sums = f"; the manifest may state the sums of {', '.join(rule.sums)}" if rule.sums else ""
    same = f"files with the same {' and '.join(rule.of)} in their names belong together"
    return f"{same}; a set is whole once {whole}, and must be within {time}{sums}"


def cases(plan: Plan, policies: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a case and what happens then, by the settings of the block for files as a whole."""
    by_name = plan.read_as == "parquet" or (plan.read_as == "csv" and plan.csv.header)
    if by_name and plan.columns.match != "byPosition":
        order = policies["reject"] if plan.columns.order == "exact" else "Nothing happens: columns are found by name."
        yield "The columns are in another order", order
    if plan.arrival:
        yield "The file comes at another time than expected", policies[plan.arrival.outside]
    if plan.set:
        yield (
            "A set is not whole in time",
            "Its files are rejected, and their receipts name what is missing.",
        )
    yield "A file of the same name comes again", SAME_KEY[plan.same_key]
    if plan.same_content != "allow":
        yield "A file has the content of one that was accepted before", SAME_CONTENT[plan.same_content]
    if plan.archive:
        other = "They are not read." if plan.archive.others == "ignore" else policies["reject"]
        yield "The archive holds other files", other


def waivers(data: Mapping[str, Any], plan: Plan) -> list[str]:
    """Return the breaking changes that were let through, each with its version and the reason."""
    blocks = [entry.get("value") for entry in data.get("customProperties") or () if is_block(entry)]
    several = blocks[0] if blocks and isinstance(blocks[0], list) else blocks
    own = next((one for one in several if isinstance(one, dict) and one.get("object", plan.object) == plan.object), {})
    return [f"{each['version']}: {each['change']}. {each['because']}" for each in own.get("waivers") or ()]


def others(source: Mapping[str, Any], shown: set[str]) -> list[tuple[str, list[str]]]:
    """Return the keys of a part of the document that are not shown elsewhere, each with the lines of its value."""
    rest = {key: value for key, value in source.items() if key not in shown and value not in (None, [], {}, "")}
    if "customProperties" in rest:
        rest["customProperties"] = [entry for entry in rest["customProperties"] if not is_block(entry)]
    return [(TITLES.get(key, key), _lines(value)) for key, value in rest.items() if value != []]


def _lines(value: Any) -> list[str]:
    if isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
        return [_flat(entry) for entry in value]
    if isinstance(value, dict):
        return [f"{key}: {_flat(inner)}" for key, inner in value.items()]
    return [_flat(value)]


def _flat(value: Any) -> str:
    """Return a value of the document in one line."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_flat(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        inner = "; ".join(_flat(entry) for entry in value) if any(isinstance(e, dict) for e in value) else ""
        return f"({inner})" if inner else ", ".join(_flat(entry) for entry in value)
    return str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
