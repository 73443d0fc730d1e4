"""IAM policies and a request in; allowed, denied or not allowed out, by AWS's published rules.

docs.aws.amazon.com/IAM/latest/UserGuide: reference_policies_evaluation-logic.html (a deny wins; in one account identity
or resource policy allows, across accounts both must), access_policies.html#policies_session (a session policy narrows),
reference_policies_elements_condition_operators.html, reference_policies_elements_resource.html (wildcards).
What is read here is checked first: an element, operator, condition key or principal that is on no list raises
UnknownInPolicy. Policies of keys and of trust must allow in their own account, too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, Self

Decision = Literal["allowed", "denied", "not allowed"]

_ELEMENTS = frozenset(
    {"Sid", "Effect", "Principal", "Action", "NotAction", "Resource", "NotResource", "Condition"},
)
_KEYS = frozenset(
    {
        "aws:principalaccount",
        "aws:principalarn",
        "aws:securetransport",
        "aws:sourceaccount",
        "aws:sourcearn",
        "iam:passedtoservice",
        "kms:viaservice",
        "s3:if-match",
        "s3:if-none-match",
        "s3:objectcreationoperation",
        "s3:prefix",
        "s3:tlsversion",
        "s3:x-amz-server-side-encryption",
        "s3:x-amz-storage-class",
        "s3:x-amz-server-side-encryption-aws-kms-key-id",
        "s3:x-amz-server-side-encryption-customer-algorithm",
        "ses:fromaddress",
    }
)
_SPECIAL = re.compile(r"\$\{[$*?]\}")
"""Signs that would stand for others, written as variables: reference_policies_variables.html, special characters."""
_RULING_ALONE = frozenset({"kms", "sts"})
"""Services whose resource policies must also allow in their own account."""


class UnknownInPolicy(Exception):
    """A policy holds an element that is not evaluated here; the message names it."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request: an ARN, a service's name or None for an unknown caller; an action; an ARN; further facts.

    A condition key that the request does not have is absent from `context`.
    """

    principal: str | None
    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict)

    @property
    def facts(self) -> Mapping[str, str]:
        """Return the context with the ARN of the principal: of a session its role's.

        docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principalarn
        """
        known = self.principal is not None and self.principal.startswith("arn:")
        return {"aws:PrincipalArn": str(self.principal), **self.context} if known else self.context


@dataclass(frozen=True, slots=True)
class Condition:
    """One operator on one key, with its values, of which one must match."""

    operator: str
    key: str
    values: tuple[str, ...]

    def holds(self, context: Mapping[str, str]) -> bool:
        """Return True if a context meets it; without the key only if it asks for absence or difference, or IfExists.

        docs.aws.amazon.com/IAM/latest/UserGuide: reference_policies_elements_condition_operators.html, "...IfExists"
        and "Null"; reference_policies_condition-logic-multiple-context-keys-or-values.html for negated operators. An
        empty value counts as present.
        """
        given = {name.lower(): value for name, value in context.items()}.get(self.key)
        operator = self.operator.removesuffix("IfExists")
        if operator == "Null":
            return ("true" if given is None else "false") in self.values
        if given is None:
            return "Not" in operator or operator != self.operator
        agrees = any(_OPERATORS[operator](wanted, given) for wanted in self.values)
        return agrees != ("Not" in operator)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a policy; `but` means that the listed actions or resources are excluded."""

    sid: str
    effect: Literal["Allow", "Deny"]
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    conditions: tuple[Condition, ...] = ()
    principals: tuple[str, ...] | None = None
    but_actions: bool = False
    but_resources: bool = False

    @classmethod
    def of(cls, written: Mapping[str, Any]) -> Self:
        """Return a statement as a document has it; raise UnknownInPolicy for what is not evaluated here."""
        place = f"the statement {written.get('Sid', '(no Sid)')}"
        if unknown := written.keys() - _ELEMENTS:
            raise UnknownInPolicy(f"{place} has {', '.join(sorted(unknown))}; known are {', '.join(sorted(_ELEMENTS))}")
        if written["Effect"] not in ("Allow", "Deny"):
            raise UnknownInPolicy(f"{place} has the effect {written['Effect']}; write Allow or Deny")
        but_actions, but_resources = "NotAction" in written, "NotResource" in written
        actions = _texts(written["NotAction" if but_actions else "Action"], place)
        resources = _texts(written["NotResource" if but_resources else "Resource"], place)
        conditions = []
        for operator, keys in written.get("Condition", {}).items():
            if operator.removesuffix("IfExists") not in _OPERATORS or operator == "NullIfExists":
                raise UnknownInPolicy(f"{place} has the operator {operator}; known are {', '.join(_OPERATORS)}")
            for key, values in keys.items():
                if key.lower() not in _KEYS:
                    raise UnknownInPolicy(f"{place} has the condition key {key}; known are {', '.join(sorted(_KEYS))}")
                conditions.append(Condition(operator, key.lower(), _texts(values, place)))
        return cls(
            sid=written.get("Sid", ""),
            effect=written["Effect"],
            actions=actions,
            resources=resources,
            conditions=tuple(conditions),
            principals=_principals(written["Principal"], place) if "Principal" in written else None,
            but_actions=but_actions,
            but_resources=but_resources,
        )


def read(document: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> tuple[Statement, ...]:
    """Read a policy document, or the statements of one; raises UnknownInPolicy."""
    statements = document["Statement"] if isinstance(document, Mapping) else document
    return tuple(Statement.of(each) for each in _listed(statements))


def decide(
    request: Request,
    identity: Iterable[Statement],
    resource: Iterable[Statement] = (),
    *,
    session: Iterable[Statement] | None = None,
    owner: str | None = None,
) -> Decision:
    """Evaluate the policies of the principal, of the resource and of the session; `owner` is the resource's account.

    Without an owner the resource is one of the principal's own account.
    """
    own, theirs, narrowed = tuple(identity), tuple(resource), None if session is None else tuple(session)
    every = (*own, *theirs, *(narrowed or ()))
    if any(each.effect == "Deny" and matches(each, request) for each in every):
        return "denied"
    by_identity = request.principal is not None and _allows(own, request)
    by_resource = _allows(theirs, request)
    together = owner not in (None, account(request.principal)) or request.action.split(":")[0] in _RULING_ALONE
    if request.principal is None or not request.principal.startswith("arn:"):
        allowed = by_resource  # nobody known, or a service: it has no policy of its own
    elif together:
        allowed = by_identity and by_resource
    else:  # a grant to the principal itself counts, not one to its account, which has its own policies
        itself = ("*", request.principal)
        direct = (each for each in theirs if any(named in itself for named in each.principals or ()))
        allowed = by_identity or _allows(direct, request)
    return "allowed" if allowed and (narrowed is None or _allows(narrowed, request)) else "not allowed"


def allowing(statements: Iterable[Statement], request: Request) -> Iterator[tuple[str, str, str]]:
    """Return the grants that a request uses: statement, action and resource as the policy writes them."""
    for each in statements:
        if each.effect == "Allow" and matches(each, request):
            actions = [a for a in each.actions if _like(a.lower(), request.action.lower())]
            resources = [r for r in each.resources if _like(r, request.resource)]
            yield from ((each.sid, action, resource) for action in actions for resource in resources)


def grants(statements: Iterable[Statement]) -> set[tuple[str, str, str]]:
    """List all grants of some statements, each action on each resource separately."""
    allow = [each for each in statements if each.effect == "Allow"]
    return {(each.sid, action, resource) for each in allow for action in each.actions for resource in each.resources}


def matches(statement: Statement, request: Request) -> bool:
    """Return True if a statement applies to a request."""
    action, resource = request.action.lower(), request.resource
    return (
        (statement.principals is None or any(_is(named, request.principal) for named in statement.principals))
        and any(_like(wanted.lower(), action) for wanted in statement.actions) != statement.but_actions
        and any(_like(wanted, resource) for wanted in statement.resources) != statement.but_resources
        and all(condition.holds(request.facts) for condition in statement.conditions)
    )


def account(principal: str | None) -> str | None:
    """Return the account of an ARN."""
    return principal.split(":")[4] if principal and principal.startswith("arn:") else None


def _allows(statements: Iterable[Statement], request: Request) -> bool:
    return any(each.effect == "Allow" and matches(each, request) for each in statements)


def _is(named: str, principal: str | None) -> bool:
    if named == "*" or named == principal:
        return True
    return re.fullmatch(r"arn:aws[\w-]*:iam::\d{12}:root", named) is not None and account(named) == account(principal)


def _principals(written: Any, place: str) -> tuple[str, ...]:
    if written == "*":
        return ("*",)
    if unknown := written.keys() - {"AWS", "Service"}:
        raise UnknownInPolicy(f"{place} has principals of the kind {', '.join(sorted(unknown))}; known: AWS, Service")
    principals = [*_texts(written.get("AWS", ()), place), *_texts(written.get("Service", ()), place)]
    return tuple(f"arn:aws:iam::{one}:root" if re.fullmatch(r"\d{12}", one) else one for one in principals)


def _texts(written: Any, place: str) -> tuple[str, ...]:
    texts = tuple(str(one).lower() if isinstance(one, bool | int | float) else one for one in _listed(written))
    for text in texts:
        if not isinstance(text, str) or "${" in _SPECIAL.sub("", text):
            raise UnknownInPolicy(f"{place} has {text!r}, which is no plain text; variables are not evaluated")
    return texts


def _listed(written: Any) -> Sequence[Any]:
    return written if isinstance(written, list | tuple) else [written]


@cache
def _pattern(wanted: str) -> re.Pattern[str]:
    pieces = {"*": ".*", "?": "."}
    signs = re.findall(f"{_SPECIAL.pattern}|.", wanted, re.DOTALL)
    return re.compile("".join(pieces.get(s, re.escape(s[2] if len(s) > 1 else s)) for s in signs), re.DOTALL)


def _like(wanted: str, given: str) -> bool:
    return _pattern(wanted).fullmatch(given) is not None


def _arn_like(wanted: str, given: str) -> bool:
    """Compare ARNs part by part: a wildcard never reaches across a colon."""
    left, right = wanted.split(":", 5), given.split(":", 5)
    return len(left) == len(right) and all(map(_like, left, right))


# What follows `Not` is compared the same, and turned round by who asks.
_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "StringEquals": str.__eq__,
    "StringNotEquals": str.__eq__,
    "StringLike": _like,
    "StringNotLike": _like,
    "ArnEquals": _arn_like,
    "ArnLike": _arn_like,
    "ArnNotLike": _arn_like,
    "Bool": str.__eq__,
    "NumericLessThan": lambda wanted, given: float(given) < float(wanted),
    "Null": str.__eq__,
}
