"""The fields of a table: a Spark schema or a pandas DataFrame in, their shapes out.

Which types a logical type can come in is the same as for Parquet files (docs/reference/semantics.md, "File formats").
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from infra.gx.contract_shape import Shape

WHOLE, FRACTION, TEXT = frozenset({"integer", "number"}), frozenset({"number"}), frozenset({"string", "time"})
OBJECT, ARRAY = frozenset({"object"}), frozenset({"array"})
SPARK: dict[str, frozenset[str]] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), WHOLE),
    **dict.fromkeys(("float", "double"), FRACTION),
    "string": TEXT,
    "boolean": frozenset({"boolean"}),
    "date": frozenset({"date"}),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), frozenset({"timestamp"})),
}
"""By the names that types have in the JSON of Spark's schemas."""
VALUES: tuple[tuple[type | tuple[type, ...], frozenset[str]], ...] = (
    (bool, frozenset({"boolean"})),
    (int, WHOLE),
    ((float, Decimal), FRACTION),
    (str, TEXT),
    (dt.datetime, frozenset({"timestamp"})),
    (dt.date, frozenset({"date"})),
    (dt.time, frozenset({"time"})),
)
"""By the type of a value in Python; the first that fits."""


def of_spark(schema: Mapping[str, Any]) -> dict[str, Shape]:
    """Return the fields of a StructType, from its `jsonValue`."""
    return {one["name"]: _spark(one["type"]) for one in schema["fields"]}


def _spark(kind: Any) -> Shape:
    if isinstance(kind, dict):
        name = kind["type"]
        if name == "struct":
            return Shape("struct", OBJECT, of_spark(kind))
        if name == "array":
            return Shape("array", ARRAY, item=_spark(kind["elementType"]))
        return Shape(name, OBJECT if name == "map" else frozenset())
    plain = kind.partition("(")[0]
    if plain == "decimal":
        return Shape(kind, WHOLE if kind.endswith((",0)", "decimal")) else FRACTION)
    if plain in ("varchar", "char"):
        return Shape(kind, TEXT)
    return Shape(kind, frozenset({"time"}) if plain == "time" else SPARK.get(plain, frozenset()))


def of_pandas(frame: Any) -> dict[str, Shape]:
    """Return the columns of a DataFrame; values decide where the dtypes do not."""
    return {str(name): _pandas(frame[name]) for name in frame.columns}


def _pandas(column: Any) -> Shape:
    kind, name = column.dtype.kind, str(column.dtype)
    there = column.dropna()
    if kind in "fM" and there.empty:  # pandas takes these types where all values are null
        return Shape(name)
    if kind in "iu":
        return Shape(name, WHOLE)
    if kind == "b":
        return Shape(name, frozenset({"boolean"}))
    if kind == "f":  # pandas has doubles for whole numbers as soon as one is null
        whole = len(there) < len(column) and bool((there % 1 == 0).all())
        return Shape(name, WHOLE if whole else FRACTION)
    if kind == "M":  # it has no type for days alone
        days = bool((there.dt.normalize() == there).all())
        return Shape(name, frozenset({"timestamp", "date"} if days else {"timestamp"}))
    return _together([_value(one) for one in there])


def _value(value: Any) -> Shape:
    if isinstance(value, Mapping):
        return Shape("object", OBJECT, {str(name): _value(one) for name, one in value.items()})
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        return Shape("list", ARRAY, item=_together([_value(one) for one in value]))
    kinds = next((kinds for classes, kinds in VALUES if isinstance(value, classes)), frozenset())
    return Shape(type(value).__name__, None if value is None else kinds)


def _together(several: Iterable[Shape]) -> Shape:
    """Return the values of one column as one shape: their common types, and every field that any of them has."""
    typed = [one for one in several if one.kinds is not None]
    if not typed:
        return Shape("null")
    kinds = frozenset.intersection(*(one.kinds or frozenset() for one in typed))
    types = " and ".join(sorted({one.name for one in typed}))
    names = dict.fromkeys(name for one in typed for name in one.fields or ())
    fields = {name: _together(one.fields[name] for one in typed if one.fields and name in one.fields) for name in names}
    items = [one.item for one in typed if one.item]
    return Shape(types, kinds, fields if kinds == OBJECT else None, _together(items) if items else None)
