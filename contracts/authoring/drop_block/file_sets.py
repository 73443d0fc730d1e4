"""File sets of a `drop` block: the block in, findings about a rule by which no set could be complete out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from contracts.authoring.document.document import Document
from contracts.authoring.document.finding import Path
from contracts.authoring.drop_block.block import DropBlock
from contracts.authoring.drop_block.pattern_overlap import shared_key
from contracts.authoring.properties.decimals import too_long
from contracts.errors import PatternInvalid
from contracts.plan import Property
from contracts.problem import nearest, quoted
from contracts.terms.file_sets import MOST_PARTS, MOST_WITHIN, SetRule
from contracts.terms.key_pattern import Token, literal_folder, tokens

WAYS = ("marker", "manifest", "parts")


def read(document: Document, at: Path, block: DropBlock) -> None:
    """Report a rule by which no set could be identified or complete."""
    rule = block.set
    if rule is None:
        return
    ways = [way for way in WAYS if getattr(rule, way) is not None]
    if len(ways) != 1:
        message = f"`set` has {' and '.join(f'`{way}`' for way in ways)}." if ways else "`set` says no end."
        fix = f"Write one of {quoted(WAYS)}: what makes a set complete."
        document.error(at, "bad-value", message, fix, on_key=True)
    if rule.within > MOST_WITHIN:
        message = "Files would wait for longer than they are kept in stage."
        document.error((*at, "within"), "bad-value", message, f"Write {MOST_WITHIN // 86400}d or less.")
    if rule.parts and rule.parts > MOST_PARTS:
        fix = f"Write {MOST_PARTS} or less, or let a marker or a manifest end the set."
        document.error((*at, "parts"), "bad-value", f"A set cannot have {rule.parts:,} files.", fix)
    end: Path = (*at, "marker" if rule.marker else "manifest")
    try:
        files = {pattern: _named(pattern) for pattern in block.files}
        signal = _named(rule.signal) if rule.signal else None
    except PatternInvalid as error:
        if rule.signal and not any(pattern in str(error) for pattern in block.files):
            message = f"{str(error)[:1].upper()}{str(error)[1:]}."
            document.error(end, "bad-pattern", message, "See the patterns in docs/reference/drop-block.md.")
        return
    for n, name in enumerate(rule.of):
        _part(document, (*at, "of", n), name, files)
    if rule.signal and signal is not None:
        _signal(document, end, rule, signal, files)


def sums(document: Document, at: Path, block: DropBlock, props: Sequence[Property]) -> None:
    """Report sums of properties that have none, and sums without a manifest."""
    by_name = {prop.name: prop for prop in props}
    for n, name in enumerate(block.set.sums if block.set else ()):
        place: Path = (*at, "sums", n)
        if has_sum(document, place, name, by_name) and block.set and not block.set.manifest:
            message = "Only a manifest says sums, and the set has none."
            document.error(place, "bad-value", message, "Leave `sums` out, or write `manifest`.")


def has_sum(document: Document, at: Path, name: str, properties: Mapping[str, Property]) -> bool:
    """Return True if a property has a sum; report a finding if it has none."""
    if name not in properties:
        close = nearest(name, properties)
        fix = f"Write `{close}`." if close else "Write the name of a property."
        document.error(at, "unknown-property", f"There is no property `{name}`.", fix, on_key=isinstance(at[-1], str))
        return False
    if properties[name].type not in ("integer", "number") or properties[name].repeats:
        message = f"`{name}` is not a number of each record, so it has no sum."
        document.error(at, "bad-value", message, "Leave it out.", on_key=isinstance(at[-1], str))
        return False
    if wrong := too_long("`sums`", properties[name]):
        document.error(at, "bad-value", *wrong, on_key=isinstance(at[-1], str))
        return False
    if properties[name].type == "number" and not properties[name].exact:
        message = (
            f"`{name}` is added up in double precision where a value has more than 14 digits before or after the point;"
            " its sum is then compared but for its last digits."
        )
        fix = "Write `physicalType: decimal(p,s)` with its digits in all and after the point, as `decimal(18,2)`."
        document.warning(at, "inexact-sum", message, fix, on_key=isinstance(at[-1], str))
    return True


def _named(pattern: str) -> dict[str, Token]:
    return {token.name: token for token in tokens(pattern) if token.name}


def _part(document: Document, at: Path, name: str, files: dict[str, dict[str, Token]]) -> None:
    """Report a part that names sets and is not in every pattern in the same form."""
    for pattern, named in files.items():
        if name not in named:
            close = nearest(name, named)
            fix = f"Write `{close}`." if close else f"Name the part in the pattern, as `{{{name}}}`."
            document.error(at, "unknown-part", f"`{pattern}` has no part `{name}`.", fix)
            return
    if len({named[name] for named in files.values()}) > 1:
        message = f"The patterns of `files` write the part `{name}` in different ways."
        document.error(at, "bad-pattern", message, "Write it in one way, so that values can be compared.")


def _signal(
    document: Document, at: Path, rule: SetRule, signal: dict[str, Token], files: dict[str, dict[str, Token]]
) -> None:
    """Report a marker or manifest that lacks the parts of its set, is in another folder, or is also a data file."""
    pattern, first = rule.signal or "", next(iter(files.values()))
    for name in rule.of:
        if name in first and signal.get(name) != first[name]:
            message = f"`{pattern}` does not say `{name}` as `files` do, so that its set is unknown."
            document.error(at, "unknown-part", message, "Write the part as in `files`.")
    if other := [name for name in signal if name not in rule.of]:
        message = f"`{pattern}` has the part `{other[0]}`, by which no set is named."
        document.error(at, "unknown-part", message, "Add it to `of`, or write `*`.")
    if not any(literal_folder(pattern).startswith(literal_folder(p)) for p in files):
        message = f"`{pattern}` is not in the folder of the files."
        document.error(at, "no-folder", message, f"Begin it with `{literal_folder(next(iter(files)))}`.")
    for of_files in files:
        if key := shared_key(of_files, pattern):
            message = f"`{pattern}` and `{of_files}` of `files` both match `{key}`."
            document.error(at, "overlap", message, "Make one of them narrower: it is not a file of the contract.")
