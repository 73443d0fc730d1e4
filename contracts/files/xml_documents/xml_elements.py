"""Elements of XML as JSON: an element with all that is in it, and its shape, in; the text of its value out. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from contracts.files.xml_documents.xml_cells import SPACES, quoted, value
from contracts.files.xml_documents.xml_shape import TEXT, Shape
from contracts.plan import Xml

MIXED, NOT_NIL = "has text beside other elements", "is nil, and is not empty"


@dataclass(slots=True)
class Element:
    """An element: its key and shape, its attributes by key, its text, and the JSON of the elements within by key.

    `others` are attributes of single values within, which the contract does not know, by their place.
    """

    key: str
    shape: Shape | None
    attributes: dict[str, str]
    is_nil: bool = False
    texts: list[str] = field(default_factory=list)
    elements: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return all its text."""
        return "".join(self.texts)


@dataclass(slots=True)
class Writer:
    """The writer of elements as JSON; `ignores` is True if what the contract does not know is left out."""

    xml: Xml
    record: Shape
    ignores: bool

    def flaw(self, element: Element) -> str | None:
        """Return why no value can be told of an element that the contract knows; None if one can."""
        if element.shape is None or not (element.elements or element.is_nil):
            return None
        is_blank = not element.text.strip(SPACES)
        if element.is_nil and element.shape is not self.record:
            return None if is_blank and not element.elements else NOT_NIL
        return None if is_blank or not element.elements else MIXED

    def value(self, element: Element, outer: Element) -> str:
        """Return the JSON of an element within a record."""
        shape, text = element.shape, element.text
        if element.is_nil:
            return "null"
        if element.elements:
            return self.object(element)
        single = shape is not None and shape.kind not in ("object", "map")
        if single or (shape is None and not element.attributes):
            if not self.ignores:
                outer.others |= {f"{element.key}/{name}": quoted(own) for name, own in element.attributes.items()}
            return value(text, shape, self.xml)
        if shape and not shape.within(TEXT) and not element.attributes and text.strip(SPACES):
            return quoted(text)
        return self.object(element)

    def object(self, element: Element) -> str:
        """Return an element as an object: the contract's keys in its order, then all others.

        A record has all keys of the contract.
        """
        shape, members = element.shape, dict[str, str]()
        for name, text in element.attributes.items():
            own = shape.within(name) if shape else None
            if own or shape is None or not self.ignores:
                members[shape.called(name) if shape else name] = value(text, own, self.xml)
        for key, values in element.elements.items():
            own = shape.within(key) if shape else None
            is_array = own is not None and own.kind == "array"
            called = shape.called(key) if shape else key
            members[called] = f"[{','.join(values)}]" if is_array or len(values) > 1 else values[0]
        own = shape.within(TEXT) if shape else None
        if (shape is None or not element.elements) and (own or element.text.strip(SPACES)):
            members[shape.called(TEXT) if shape else TEXT] = value(element.text, own, self.xml)
        members = element.others | members
        if shape:
            names = (own.name for own in shape.members.values())
            agreed = {key: members.get(key, "null") for key in names if shape is self.record or key in members}
            members = agreed | members
        return "{" + ",".join([f"{quoted(key)}:{own}" for key, own in members.items()]) + "}"
