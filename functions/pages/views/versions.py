"""Versions of a contract: those that were published, and the changes between two with the sides that they break."""

from __future__ import annotations

from functions.api.models.versions import ContractComparison, ContractVersions
from functions.api.problems import RequestRefused
from functions.api.routes.versions import compare_versions, list_versions
from functions.pages.answers import Answer
from functions.pages.site import Visit


def versions(visit: Visit) -> Answer:
    """Return the versions of a contract in force, and a comparison: of the last two if the request names none."""
    here, name, query = visit.here, visit.request.parts["contract"], visit.request.query
    listed = list_versions(here, name).body
    if not isinstance(listed, ContractVersions):
        raise RequestRefused(404, f"No contract {name} is in force.")
    numbers = [each.version for each in listed.versions]
    new = query.get("new") or next(iter(numbers), None)
    comparison, why_not = None, None
    try:
        comparison = compare_versions(here, name, old=query.get("old") or None, new=new).body if new else None
    except RequestRefused as refused:
        if refused.status not in (404, 409):
            raise
        why_not = str(refused)
    return visit.page(
        "versions",
        contract=name,
        versions=listed.versions,
        comparison=comparison if isinstance(comparison, ContractComparison) else None,
        why_not=why_not,
    )
