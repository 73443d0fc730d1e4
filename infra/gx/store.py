"""The contract store that a suite names: a folder or a catalog zone in; documents by data product and table out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.authoring.document import source
from contracts.authoring.store import LATEST, Title, of_folder, of_version, published_versions
from contracts.errors import ContractInvalid
from contracts.problem import nearest, quoted


@dataclass(frozen=True, slots=True)
class Store:
    """All published versions, and the function that reads the text of one."""

    titles: tuple[Title, ...]
    read: Callable[[Title], bytes]

    def title(self, data_product: str, table: str, version: str = LATEST) -> Title:
        """Return the version of a table's contract; raise ContractInvalid with the published ones if there is none."""
        several = published_versions(self.titles, f"{data_product}/{table}")
        title = of_version(several, version)
        if title:
            return title
        if several:
            versions = quoted(t.version for t in several)
            raise ContractInvalid(f"`{data_product}/{table}` has no version `{version}`; published are {versions}.")
        names = sorted({f"{t.id}/{t.table}" for t in self.titles})
        close = nearest(f"{data_product}/{table}", names)
        hint = f"did you mean `{close}`?" if close else f"published are {quoted(names) or 'none'}."
        raise ContractInvalid(f"No contract of `{data_product}/{table}` was ever published; {hint}")

    def properties(self, title: Title) -> list[Any]:
        """Return the properties of the table in that version."""
        data: Any = source.read(self.read(title), title.key).data
        objects = [one for one in data["schema"] if one.get("name") == title.table] or data["schema"]
        properties: list[Any] = objects[0].get("properties") or []
        return properties


def opened(place: str) -> Store:
    """Return the store of a folder, however its files are named, or of a catalog zone (`s3://bucket/catalog/`)."""
    if not place.startswith("s3://"):
        if not Path(place).is_dir():
            raise ContractInvalid(f"{place} is neither a folder of contracts nor a URI such as s3://bucket/catalog/.")
        documents = of_folder(Path(place))
        return Store(tuple(documents), documents.__getitem__)
    import boto3  # noqa: PLC0415 (who reads a folder needs none)

    from contracts.authoring.publication import kept, text_of  # noqa: PLC0415
    from functions.aws.catalog.s3_catalog import S3Catalog  # noqa: PLC0415

    zone = S3Catalog(boto3.client("s3"), place if place.endswith("/") else f"{place}/")
    return Store(kept(zone), lambda title: text_of(zone, title))
