"""Calls in; those that the caller's role does not allow out, refused as AWS refuses them.

Functions and the job have only the rights of template.yaml; other callers (a person, a test) may do everything. Used
grants and refused calls are recorded, so that tests can find surplus and missing rights of a role.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from infra.local.iam.calls import Call
from infra.local.iam.policy_evaluator import Request, Statement, allowing, decide, grants, read
from infra.local.loopback import ACCOUNT
from infra.local.template.stack import Stack

JOB = "JobRole"
"""The access key of the Spark job; a function's is its logical id."""

Grant = tuple[str, str, str]
"""Statement, action and resource, as a policy writes them."""


@dataclass(frozen=True, slots=True)
class Rights:
    """The ARN of a caller's role, its policy, and for a run of a job the policy that narrows it."""

    role: str
    statements: tuple[Statement, ...]
    session: tuple[Statement, ...] | None = None
    name: str | None = None
    """The logical id of the role, if the caller is a session of it."""


# What S3 does with a bucket's customer key, it does in the caller's name; to complete an upload in parts it reads them:
# docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html, docs.aws.amazon.com/kms/latest/developerguide
_WITH_KEY = {
    "s3:GetObject": ("kms:Decrypt",),
    "s3:GetObjectVersion": ("kms:Decrypt",),
    "s3:PutObject": ("kms:GenerateDataKey",),
}
# A key's policy that leaves it to the policies of its account, as keys have from the start.
_LEFT_TO_ACCOUNT = read([{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "kms:*", "Resource": "*"}])


_OF_EVERYBODY = frozenset({"sts:GetCallerIdentity"})
"""The calls that need no right: docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html."""


class Guard:
    """Decides on calls; `used` are the grants that callers used, `denied` the refused calls."""

    def __init__(self) -> None:
        self.used: set[tuple[str, Grant]] = set()
        self.denied: list[Call] = []
        self._rights: dict[str, Rights] = {}
        self._buckets: dict[str, tuple[Statement, ...]] = {}
        self._keys: dict[str, str] = {}
        self._trusts: dict[str, tuple[Statement, ...]] = {}
        self._roles: dict[str, Rights] = {}

    def learn(self, stack: Stack) -> None:
        """Take the policies of a stack's functions and buckets."""
        self._buckets |= {
            f"arn:aws:s3:::{name}": read(statements) for name, statements in stack.bucket_policies.items()
        }
        self._keys |= {f"arn:aws:s3:::{name}": key for name, key in stack.bucket_keys.items()}
        for name, trust in stack.trusts.items():
            role = stack.role_arns[name]
            self._trusts[role] = read([{**each, "Resource": role} for each in trust])
            self._roles[role] = Rights(role, read(stack.roles[name]), name=name)
        for name, function in stack.functions.items():
            self._rights[name] = Rights(f"arn:aws:iam::{ACCOUNT}:role/{name}", read(function.statements))

    def assumed(self, role: str, policy: str | None, key: str) -> None:
        """Apply a role, narrowed by the policy of its session, to the access key of a session."""
        session = None if policy is None else read(json.loads(policy))
        self._rights[key] = replace(self._roles[role], session=session)

    @contextmanager
    def holding(self, caller: str, statements: Iterable[Mapping[str, Any]]) -> Iterator[None]:
        """Apply a policy to a caller meanwhile."""
        self._rights[caller] = Rights(f"arn:aws:iam::{ACCOUNT}:user/{caller}", read(tuple(statements)))
        try:
            yield
        finally:
            del self._rights[caller]

    @contextmanager
    def running(self, stack: Stack, policy: str | None) -> Iterator[None]:
        """Apply its role and the policy of its run to the job meanwhile; one run at a time."""
        assert JOB not in self._rights, "runs at the same time would share a policy"
        session = None if policy is None else read(json.loads(policy))
        self._rights[JOB] = Rights(f"arn:aws:iam::{ACCOUNT}:role/{JOB}", read(stack.roles[JOB]), session)
        try:
            yield
        finally:
            del self._rights[JOB]

    @contextmanager
    def without(self, caller: str, sid: str) -> Iterator[None]:
        """Remove a statement from a caller's policy meanwhile; refusals are not recorded."""
        whole, denied = self._rights[caller], len(self.denied)
        left = tuple(each for each in whole.statements if each.sid != sid)
        assert left != whole.statements, f"{caller} has no statement {sid}"
        self._rights[caller] = replace(whole, statements=left)
        try:
            yield
        finally:
            self._rights[caller] = whole
            del self.denied[denied:]

    def knows(self, caller: str) -> bool:
        """Return True if a policy applies to a caller."""
        return caller in self._rights

    def unused(self, stack: Stack) -> set[tuple[str, str, str]]:
        """List the template's unused grants: caller, action, resource by logical id, as `InternalBucket/jobs/*`."""
        granted = {(name, grant) for name, each in stack.functions.items() for grant in grants(read(each.statements))}
        granted |= {(name, grant) for name in stack.trusts for grant in grants(read(stack.roles[name]))}
        names = sorted(stack.names.items(), key=lambda item: len(item[1]), reverse=True)
        unused = set()
        for caller, (_, action, resource) in granted - self.used:
            place = resource.split(":", 5)[-1]
            for logical, name in names:
                place = place.replace(name.rpartition("/")[2], logical)
            unused.add((caller, action, place))
        return unused

    def refused(self, calls: Iterable[Call]) -> Call | None:
        """Return the first call that its caller may not make."""
        for call in (each for one in calls for each in (one, *self._with_key(one))):
            rights = self._rights.get(call.caller)
            if rights is None or call.action in _OF_EVERYBODY:
                continue
            request = Request(rights.role, call.action, call.resource, call.context)
            bucket = self._buckets.get(call.resource.partition("/")[0], ())
            other = _LEFT_TO_ACCOUNT if call.action.startswith("kms:") else self._trusts.get(call.resource, bucket)
            if decide(request, rights.statements, other, session=rights.session) != "allowed":
                self.denied.append(call)
                return call
            self.used |= {(rights.name or call.caller, grant) for grant in allowing(rights.statements, request)}
        return None

    def _with_key(self, call: Call) -> Iterator[Call]:
        """Return S3's uses of the bucket's key for a call."""
        key = self._keys.get(call.resource.partition("/")[0])
        actions = _WITH_KEY.get(call.action, ()) if key else ()
        if call.context.get("s3:ObjectCreationOperation") == "false":
            actions = (*actions, *_WITH_KEY["s3:GetObject"])
        if key:
            via = {"kms:ViaService": f"s3.{key.split(':')[3]}.amazonaws.com"}
            yield from (Call(call.caller, action, key, via) for action in dict.fromkeys(actions))


def because(call: Call) -> str:
    """Return AWS's message: docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html."""
    who = f"arn:aws:sts::{ACCOUNT}:assumed-role/{call.caller}/embedded"
    what = f"is not authorized to perform: {call.action} on resource: {call.resource}"
    return f"User: {who} {what} because no policy of template.yaml allows it"
