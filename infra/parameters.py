"""Parameters for template.yaml: given values and the template's declarations in, errors out. Pure.

The rules are CloudFormation's (user guide, "Parameters"), checked before the build; but numbers must be whole, while
CloudFormation's Number accepts fractions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from contracts.problem import nearest

Declared = Mapping[str, Mapping[str, Any]]
"""The section Parameters of a template."""


def read(words: Sequence[str]) -> dict[str, str]:
    """Return NAME=VALUE words as a mapping; a word without `=` is a name with an empty value."""
    return dict(word.partition("=")[::2] for word in words)


def wrong(given: Mapping[str, str], declared: Declared) -> list[str]:
    """Return one sentence for each parameter that the template would refuse: its name, and the allowed values."""
    sentences = (_wrong(name, value, declared) for name, value in given.items())
    return [sentence for sentence in sentences if sentence]


def stay(
    given: Mapping[str, str], declared: Declared, values: Mapping[str, str], defaults: Mapping[str, str]
) -> list[str]:
    """Return one sentence for each parameter whose default has changed while the stack keeps the former value.

    `values` are the deployed stack's, `defaults` those of the template that it was deployed from: `sam deploy` gives a
    stack its former values again (AWS SAM developer guide, "sam deploy", parameter overrides).
    """
    now = {name: str(rules["Default"]) for name, rules in declared.items() if "Default" in rules and name not in given}
    changed = {name: new for name, new in now.items() if values.get(name) == defaults.get(name) not in (None, new)}
    return [
        f'{name} stays {values[name]!r}, the former default; it is {new!r} now: PARAMETERS="{name}={new}" takes it.'
        for name, new in changed.items()
    ]


def _wrong(name: str, value: str, declared: Declared) -> str | None:
    if name not in declared:
        close = nearest(name, declared)
        instead = f"Did you mean {close}?" if close else f"Known: {', '.join(declared)}."
        return f"There is no parameter {name}. {instead}"
    rules = declared[name]
    allowed = [str(one) for one in rules.get("AllowedValues", ())]
    if allowed:
        return None if value in allowed else f"{name} is {value!r}; allowed is one of {', '.join(allowed)}."
    if rules["Type"] == "Number":
        least, most = rules.get("MinValue"), rules.get("MaxValue")
        number = int(value) if re.fullmatch(r"-?[0-9]{1,18}", value) else None
        if number is not None and (least is None or number >= least) and (most is None or number <= most):
            return None
        bounds = (f" from {least}" if least is not None else "") + (f" to {most}" if most is not None else "")
        return f"{name} is {value!r}; allowed is a whole number{bounds}."
    pattern = rules.get("AllowedPattern")
    if pattern and not re.fullmatch(pattern, value):
        return f"{name} is {value!r}; it {rules.get('ConstraintDescription', f'must match {pattern}')}"
    return None
