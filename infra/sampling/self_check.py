"""A drafted contract and its samples in; the contract out, or the reason why it would refuse its samples.

A draft must accept the files that it was made of: lint and the code of admission decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from contracts.authoring.compiler.compile import compile_text
from contracts.authoring.draft.drafting import Draft
from contracts.authoring.draft.profile import SampleRefused
from functions.admission.admit import admit
from infra.files import read_at


def checked(made: Draft, paths: Sequence[Path]) -> Draft:
    """Return the draft if it lints and admission accepts its samples; raise SampleRefused."""
    compiled = compile_text(made.text.encode(), f"{made.name}.yaml")
    if compiled.draft is None:
        why = next((f.message for f in compiled.findings if f.level == "error"), "it does not compile")
        raise SampleRefused(f"No contract can be written for these samples: {why.rstrip('.')}")
    for path in paths:
        with path.open("rb") as file:
            admission = admit(compiled.draft, "sample", path.stat().st_size, partial(read_at, file))
        if refused := next((p for p in admission.problems if p.level == "error"), None):
            raise SampleRefused(f"{path.name} would be refused: {refused.message} {refused.fix}".rstrip("."))
    return made
