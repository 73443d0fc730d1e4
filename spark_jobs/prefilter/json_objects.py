"""Lines of JSON in Arrow vectors: objects of a shape that a pattern has tested in; their values, by place, out.

Arrow's parser is lenient about keys that occur twice or in another order. The pattern is not: it has each key once, in
the order of the file's first object, with a value of its own JSON type or null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa
import pyarrow.json

LINE_END = r"(?:\r?\n|\r)?\z"


def shape(values: Iterable[tuple[str, str]]) -> str:
    """Return a pattern (RE2) of lines that are an object with some keys in their order, each once or left out.

    `values` are the keys with patterns of their values. Raise ValueError for a key that JSON writes with an escape.
    """
    return rf"\A\{{{''.join(_pair(*each) for each in values)}\z"


def _pair(key: str, value: str) -> str:
    return rf"(?:{re.escape(written(key))}: ?(?:{value})(?:, ?|\}}{LINE_END}))?"


def written(key: str) -> str:
    """Return a key as JSON writes it; raise ValueError if it has an escape."""
    text = json.dumps(key, ensure_ascii=False)
    if text != f'"{key}"':
        raise ValueError(key)
    return text


def cells(text: pa.Buffer, types: Mapping[str, pa.DataType], names: Sequence[str]) -> pa.Table:
    """Parse some values, given and returned by their places, of lines that have the shape; `names` are all keys."""
    read = pyarrow.json.read_json(
        pa.BufferReader(text),
        pyarrow.json.ReadOptions(use_threads=False, block_size=text.size + 1),
        pyarrow.json.ParseOptions(
            explicit_schema=pa.schema([(names[int(place)], kind) for place, kind in types.items()]),
            unexpected_field_behavior="ignore",
        ),
    )
    return read.select([names[int(place)] for place in types]).rename_columns(list(types))
