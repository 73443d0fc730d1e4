"""Nested templates in, one flat template out, as CloudFormation resolves them for some parameters.

A nested template's parameters are replaced by its parent's values, and its outputs by their expressions; the names of
resources and conditions stay, as no two templates of ours share one. A nested template whose condition does not hold
leaves nothing, and neither does an output.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Template = dict[str, Any]
NESTED = "AWS::CloudFormation::Stack"
MERGED = ("Conditions", "Resources")


class NamedTwice(Exception):
    """Two templates use one name; the message says which."""


def flattened(path: Path, load: Callable[[Path], Template], given: Mapping[str, str] | None = None) -> Template:
    """Return the template at `path` with all nested templates; `load` reads one file, `given` are parameters."""
    root = _without_false(load(path), given or {})
    inner = {
        name: (load(path.parent / resource["Properties"]["TemplateURL"]), resource["Properties"].get("Parameters", {}))
        for name, resource in root["Resources"].items()
        if resource["Type"] == NESTED
    }
    return _Scopes(root, inner).flat()


def _without_false(root: Template, given: Mapping[str, str]) -> Template:
    """Return the root without nested templates and outputs whose condition does not hold."""
    values = {
        name: str(given.get(name, rules.get("Default", ""))) for name, rules in root.get("Parameters", {}).items()
    }
    holds = {name: _holds(test, values) for name, test in root.get("Conditions", {}).items()}
    resources = {
        name: resource
        for name, resource in root["Resources"].items()
        if resource["Type"] != NESTED or holds.get(resource.get("Condition"), True)
    }
    outputs = {name: out for name, out in root.get("Outputs", {}).items() if holds.get(out.get("Condition"), True)}
    return root | {"Resources": resources, "Outputs": outputs}


def _holds(test: Any, values: Mapping[str, str]) -> bool:
    """Return True if a condition of the root holds; ours compare parameters with texts."""
    match test:
        case {"Fn::Equals": [one, other]}:
            return _text(one, values) == _text(other, values)
        case {"Fn::Not": [inner]}:
            return not _holds(inner, values)
    raise ValueError(f"{test} is no condition that is known here")


def _text(node: Any, values: Mapping[str, str]) -> str:
    return values[node["Ref"]] if isinstance(node, dict) else str(node)


class _Scopes:
    """The root and its nested templates, each with the values of its parameters."""

    def __init__(self, root: Template, inner: Mapping[str, tuple[Template, Mapping[str, Any]]]) -> None:
        self._root, self._inner = root, inner
        self._values: dict[str, dict[str, Any]] = {}

    def flat(self) -> Template:
        """Return one template of all."""
        parts = [self._root, *(template for template, _ in self._inner.values())]
        scopes: list[Mapping[str, Any]] = [{}, *(self._parameters(name) for name in self._inner)]
        whole: Template = dict(self._root) | {section: {} for section in MERGED}
        for template, scope in zip(parts, scopes, strict=True):
            for section in MERGED:
                for name, entry in template.get(section, {}).items():
                    if name in self._inner:
                        continue
                    if name in whole[section]:
                        raise NamedTwice(f"{name} is in two templates")
                    whole[section][name] = self._resolved(entry, scope)
        whole["Outputs"] = self._resolved(self._root.get("Outputs", {}), {})
        return whole

    def _parameters(self, stack: str) -> Mapping[str, Any]:
        """Return the values of a nested template's parameters."""
        if stack not in self._values:
            template, given = self._inner[stack]
            self._values[stack] = {
                # A parent passes a list down as one text.
                name: {"Fn::Split": [",", value]} if declared["Type"] == "CommaDelimitedList" else value
                for name, declared in template.get("Parameters", {}).items()
                for value in [self._resolved(given.get(name, declared.get("Default")), {})]
            }
        return self._values[stack]

    def _resolved(self, node: Any, scope: Mapping[str, Any]) -> Any:
        """Resolve parameters in scope and outputs of other stacks in a piece of a template."""
        match node:
            case {"Ref": str(name)} if name in scope:
                return scope[name]
            case {"Fn::GetAtt": [str(stack), str(attribute)]} if stack in self._inner:
                output = self._inner[stack][0]["Outputs"][attribute.removeprefix("Outputs.")]
                return self._resolved(output["Value"], self._parameters(stack))
            case {"Fn::Sub": str(text)}:
                return _substituted(text, scope)
            case dict():
                return {key: self._resolved(value, scope) for key, value in node.items()}
            case list():
                return [self._resolved(value, scope) for value in node]
            case _:
                return node


def _substituted(text: str, scope: Mapping[str, Any]) -> dict[str, Any]:
    """Resolve `Fn::Sub`: a parameter becomes another name if it has one, else a variable."""
    variables: dict[str, Any] = {}

    def replaced(match: re.Match[str]) -> str:
        name = match[1]
        match scope.get(name):
            case None:
                return match[0]
            case {"Ref": str(other)}:
                return f"${{{other}}}"
            case {"Fn::GetAtt": [str(other), str(attribute)]}:
                return f"${{{other}.{attribute}}}"
            case value:
                variables[name] = value
                return match[0]

    made = re.sub(r"\$\{([A-Za-z0-9]+)\}", replaced, text)
    return {"Fn::Sub": [made, variables] if variables else made}
