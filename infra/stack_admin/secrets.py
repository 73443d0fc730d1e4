"""Secrets of channels in a stack: contracts and Parameter Store in, warnings of secrets that are not there out.

Only names and types are asked for, never values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from contracts.authoring.document.finding import Finding
from contracts.authoring.drop_block import parse
from functions.aws.answers import asking

if TYPE_CHECKING:
    from contracts.authoring.compiler.compile import Compiled
    from contracts.authoring.compiler.lint import Linted
    from contracts.terms.notices import Channel, Route

ENCRYPTED = "SecureString"


def stored(ssm: Any, folder: str) -> dict[str, str]:
    """Return the types of the parameters in a folder that ends in `/`, by their names in it."""
    of_folder = {"Key": "Path", "Option": "OneLevel", "Values": [folder.rstrip("/")]}
    with asking("ssm"):
        pages = ssm.get_paginator("describe_parameters").paginate(ParameterFilters=[of_folder])
        parameters = [one for page in pages for one in page["Parameters"]]
    return {one["Name"].removeprefix(folder): one["Type"] for one in parameters}


def wanted(linted: Linted) -> bool:
    """Return True if a channel of the contracts or of the stack has a secret."""
    every = [route for each in linted.routes.contracts for route in each.routes] + [*linted.routes.operators]
    return any(_has_secret(route) for route in every)


def lacking(linted: Linted, folder: str, types: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return a warning for each channel whose secret is not in the folder, or is not encrypted there."""
    files = {one.plan.contract: one for one in linted.contracts if one.plan}
    every = [(route, _place(files[each.contract])) for each in linted.routes.contracts for route in each.routes]
    every += [(route, Finding(linted.notify or "", 1, 1, "warning", "", "", "")) for route in linted.routes.operators]
    own = (found for route, place in every if _has_secret(route) for found in _of(route.channel, place, folder, types))
    return tuple(sorted(dict.fromkeys(own)))


def _has_secret(route: Route) -> bool:
    return route.channel.service != "email"


def _place(contract: Compiled) -> Finding:
    """Return a warning without words at the key `notify` of a contract."""
    document = contract.document
    assert document
    entries = document.data.get("customProperties") or []
    n = next(n for n, entry in enumerate(entries) if parse.is_block(entry))
    at = ("customProperties", n, "value", "notify")
    return document.finding("warning", at, "", "", "", on_key=True)


def _of(channel: Channel, place: Finding, folder: str, types: Mapping[str, str]) -> Iterator[Finding]:
    name, where = f"{folder}{channel.to}", (place.file, place.line, place.column)
    if channel.to not in types:
        message = f"`{channel.service}:{channel.to}` has no secret: there is no parameter `{name}` in this stack."
        fix = f"Store it: `aws ssm put-parameter --type {ENCRYPTED} --name {name} --value file://secret.txt`."
        yield Finding(*where, "warning", "missing-secret", message, fix)
    elif types[channel.to] != ENCRYPTED:
        message = f"The parameter `{name}` is not encrypted."
        fix = f"Delete it, and store it again with `--type {ENCRYPTED}`."
        yield Finding(*where, "warning", "plain-secret", message, fix)
