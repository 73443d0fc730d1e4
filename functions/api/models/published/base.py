"""The base of models whose fields are written in camel case, as the thesis on data contracts writes them."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from functions.api.models.base import Model


class CamelModel(Model):
    """A body, or a part of it, whose fields are written in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
