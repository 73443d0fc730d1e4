"""The contract and the keys of local files: the command's options in, a contract and keys out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from contracts.authoring.compiler.compile import Compiled
    from contracts.plan import Plan
    from contracts.terms.notices import Contact


@dataclass(frozen=True, slots=True)
class ChosenContract:
    """A contract for files: its plan, the folder of its file, whom to ask, and the key that selected it, if one did."""

    plan: Plan
    folder: Path
    contact: Contact | None = None
    key: str | None = None

    @classmethod
    def of(cls, plan: Plan, compiled: Compiled, key: str | None = None) -> ChosenContract:
        """Return a compiled contract."""
        return cls(plan, Path(compiled.file).parent, compiled.routes.contact if compiled.routes else None, key)


def chosen(contract: str | None, folder: Path, given: Sequence[str], file: Path) -> ChosenContract:
    """Return the contract for a file: the named one, or the one that claims its key."""
    key = next((key + file.name if key.endswith("/") else key for key in given), None)
    if not contract:
        return _by_key(key, folder, file)
    from contracts.authoring.compiler.compile import load, load_single
    from contracts.authoring.compiler.lint import contract_files
    from contracts.problem import nearest

    path = Path(contract)
    if path.is_file():
        pairs = load(path)
        return ChosenContract.of(*pairs[0]) if len(pairs) == 1 else _by_key(key, path, file)
    paths = {one.stem: one for one in contract_files((folder,))}
    if contract in paths:
        return ChosenContract.of(*load_single(paths[contract]))
    # It may be one object of a document with several: `shop.lines.v1` of `shop.v1`.
    product, _, version = contract.rpartition(".")
    document = None
    while document is None and (product := product.rpartition(".")[0]):
        document = paths.get(f"{product}.{version}")
    if document:
        for plan, compiled in load(document):
            if plan.contract == contract:
                return ChosenContract.of(plan, compiled)
    close = nearest(contract, paths)
    hint = f" Did you mean {close}?" if close else f" Known: {', '.join(paths) or 'none'}."
    raise click.UsageError(f"There is no contract {contract}, neither as a file nor in {folder}/.{hint}")


def keys_of(plan: Plan, files: Sequence[Path], given: Sequence[str], matched: str | None) -> list[str]:
    """Return the keys below landing under which files are judged: the given ones, or the likeliest.

    A single given key that ends in `/` is the folder of all files. Raises a usage error if a set, or the key of a
    file, would be ambiguous.
    """
    from infra.offline.file_sets import parts_of

    folder = given[0] if len(given) == 1 and given[0].endswith("/") else None
    if folder is None and given and len(given) != len(files):
        counts = f"{len(given)} are given for {len(files)} files"
        raise click.UsageError(
            f"Name a --key for each of the FILES, in their order, or one folder that ends in /: {counts}."
        )
    if folder is not None:
        keys = [folder + file.name for file in files]
    elif given:
        keys = list(given)
    else:
        keys = [matched if n == 0 and matched else _likeliest(plan, file) for n, file in enumerate(files)]
    if given or len(files) > 1:
        _look_through(plan, files, keys)
    elif parts_of(plan, keys[0]) is None:
        click.echo(
            f"Note: no pattern of {plan.contract} matches {keys[0]}; an upload under this key would match no contract.",
            err=True,
        )
    return keys


def _likeliest(plan: Plan, file: Path) -> str:
    """Return the end of a file's path that the contract claims, by itself or below its folder; else its name there."""
    from contracts.terms.key_pattern import literal_folder
    from infra.offline.file_sets import parts_of

    parts, folder = file.resolve().parts, literal_folder(plan.files[0])
    endings = ["/".join(parts[n:]) for n in range(len(parts) - 1, 0, -1)]
    tried = (*endings, *(folder + ending for ending in endings))
    return next((key for key in tried if parts_of(plan, key) is not None), folder + file.name)


def _look_through(plan: Plan, files: Sequence[Path], keys: Sequence[str]) -> None:
    """Refuse several files if the contract does not claim one of them, or two are the same upload."""
    from infra.offline.file_sets import parts_of

    seen: dict[str, Path] = {}
    for file, key in zip(files, keys, strict=True):
        if parts_of(plan, key) is None:
            fix = "Name their keys, or their folder, with --key."
            raise click.UsageError(f"{file} would be {key}, which {plan.contract} does not match. {fix}")
        if key in seen:
            raise click.UsageError(f"{seen[key]} and {file} would both be {key}. Name their keys with --key.")
        seen[key] = file


def _by_key(key: str | None, folder: Path, file: Path) -> ChosenContract:
    """Return the contract that claims the key or, without a key, an ending of the file's path."""
    from contracts import catalog
    from contracts.authoring.compiler.lint import index_of, lint
    from infra.cli.match import warn_of_broken

    if not folder.exists():
        raise click.UsageError(f"There is no folder {folder}; name it with --contracts, or a contract with --contract.")
    linted = lint((folder,))
    warn_of_broken(linted)
    index = index_of(linted.plans)
    parts = file.resolve().parts
    tried = [key] if key else ["/".join(parts[n:]) for n in range(len(parts) - 1, 0, -1)]
    why = f"no pattern matches {file}"
    for name in tried:
        match catalog.match(index, name):
            case catalog.Matched(entry=entry):
                one = next(c for c in linted.contracts if c.plan and c.plan.sha == entry.plan)
                assert one.plan is not None
                return ChosenContract.of(one.plan, one, name)
            case catalog.Ambiguous(contracts=several):
                why = f"{', '.join(several)} match {name}"
                break
            case catalog.Unmatched(reason=reason) if key:
                why = reason
    names = ", ".join(p.contract for p in linted.plans) or f"none in {folder}/"
    raise click.UsageError(f"Which contract? Name it with --contract ({names}); {why}.")
