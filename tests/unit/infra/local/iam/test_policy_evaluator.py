"""The evaluator of policies: AWS's rules for deny, accounts, sessions, wildcards and conditions; nothing is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from infra.local.iam.policy_evaluator import Request, Statement, UnknownInPolicy, allowing, decide, grants, read

ROLE = "arn:aws:iam::123456789012:role/door"
FOREIGN = "arn:aws:iam::210987654321:role/sender"
OBJECT = "arn:aws:s3:::landing/shop/a.csv"
OURS = "123456789012"


def statement(effect: str = "Allow", action: Any = "s3:PutObject", resource: Any = OBJECT, **more: Any) -> Any:
    return {"Effect": effect, "Action": action, "Resource": resource} | more


def policy(statements: Any) -> tuple[Statement, ...]:
    return read(statements if isinstance(statements, list | tuple) else [statements])


def asked(
    principal: str | None = ROLE, action: str = "s3:PutObject", resource: str = OBJECT, **context: str
) -> Request:
    return Request(principal, action, resource, {name.replace("__", ":"): value for name, value in context.items()})


def to(principal: Any, effect: str = "Allow", **more: Any) -> Any:
    return statement(effect, Principal=principal, **more)


ALLOW, DENY = statement(), statement("Deny")
ROOT = {"AWS": "arn:aws:iam::210987654321:root"}

# What the page on evaluation logic says of identity, resource and account.
DECISIONS = {
    "nothing allows": (ROLE, [], [], "not allowed"),
    "identity allows": (ROLE, [ALLOW], [], "allowed"),
    "identity denies what it allows": (ROLE, [ALLOW, DENY], [], "denied"),
    "resource allows the role itself": (ROLE, [], [to({"AWS": ROLE})], "allowed"),
    "resource allows everyone": (ROLE, [], [to("*")], "allowed"),
    "resource allows the own account, which allows nothing": (ROLE, [], [to({"AWS": OURS})], "not allowed"),
    "resource denies what identity allows": (ROLE, [ALLOW], [to("*", "Deny")], "denied"),
    "resource denies the account": (ROLE, [ALLOW], [to({"AWS": OURS}, "Deny")], "denied"),
    "resource denies another": (ROLE, [ALLOW], [to({"AWS": FOREIGN}, "Deny")], "allowed"),
    "foreign: identity alone": (FOREIGN, [ALLOW], [], "not allowed"),
    "foreign: resource alone": (FOREIGN, [], [to({"AWS": FOREIGN})], "not allowed"),
    "foreign: both": (FOREIGN, [ALLOW], [to({"AWS": FOREIGN})], "allowed"),
    "foreign: both, by account": (FOREIGN, [ALLOW], [to(ROOT)], "allowed"),
    "foreign: both, but for another": (FOREIGN, [ALLOW], [to({"AWS": ROLE})], "not allowed"),
    "nobody: nothing": (None, [], [], "not allowed"),
    "nobody: an account": (None, [], [to(ROOT)], "not allowed"),
    "nobody: everyone": (None, [], [to("*")], "allowed"),
    "nobody has no identity policy": (None, [ALLOW], [], "not allowed"),
    "service: named": ("events.amazonaws.com", [], [to({"Service": "events.amazonaws.com"})], "allowed"),
    "service: another": ("sns.amazonaws.com", [], [to({"Service": "events.amazonaws.com"})], "not allowed"),
}


@pytest.mark.parametrize("case", DECISIONS.values(), ids=DECISIONS)
def test_accounts_and_denies_count_as_aws_says(case: tuple[str | None, list[Any], list[Any], str]) -> None:
    principal, identity, resource, expected = case
    assert decide(asked(principal), policy(identity), policy(resource), owner=OURS) == expected


def test_session_policy_narrows_and_never_widens() -> None:
    wide, other = policy(statement(action="s3:*", resource="*")), policy(statement(resource="arn:aws:s3:::landing/b"))

    assert decide(asked(), policy(ALLOW), session=wide) == "allowed"
    assert decide(asked(), policy(ALLOW), session=other) == "not allowed"
    assert decide(asked(), (), session=wide) == "not allowed"
    assert decide(asked(), policy(ALLOW), session=policy(DENY)) == "denied"
    assert decide(asked(), (), policy(to({"AWS": ROLE})), session=other) == "not allowed"


def test_key_needs_its_own_policy_too() -> None:
    use = statement(action="kms:Decrypt", resource="arn:aws:kms:us-east-1:123456789012:key/k")
    request = asked(action="kms:Decrypt", resource=use["Resource"])

    assert decide(request, policy(use)) == "not allowed"
    assert decide(request, policy(use), policy(use | {"Principal": {"AWS": OURS}})) == "allowed"


MATCHES = {
    "action in another case": (statement(action="S3:putobject"), True),
    "action by star": (statement(action="s3:Put*"), True),
    "action by question mark": (statement(action="s3:?utObject"), True),
    "longer action": (statement(action="s3:PutObjectAcl"), False),
    "one of several": (statement(action=["s3:GetObject", "s3:PutObject"]), True),
    "all but it": ({"Effect": "Allow", "NotAction": "s3:PutObject", "Resource": "*"}, False),
    "all but another": ({"Effect": "Allow", "NotAction": "s3:GetObject", "Resource": "*"}, True),
    "resource across folders": (statement(resource="arn:aws:s3:::landing/*"), True),
    "resource in another case": (statement(resource="arn:aws:s3:::landing/Shop/*"), False),
    "bucket alone": (statement(resource="arn:aws:s3:::landing"), False),
    "everything but it": ({"Effect": "Allow", "Action": "*", "NotResource": OBJECT}, False),
    "everything but another": ({"Effect": "Allow", "Action": "*", "NotResource": "arn:aws:s3:::landing/b/*"}, True),
    "dots are dots": (statement(resource="arn:aws:s3:::landing/shop/a?csv"), True),
    "no regular expressions": (statement(resource="arn:aws:s3:::landing/shop/a.csv.*"), False),
}


@pytest.mark.parametrize("case", MATCHES.values(), ids=MATCHES)
def test_wildcards_reach_as_far_as_aws_says(case: tuple[Any, bool]) -> None:
    assert (decide(asked(), policy(case[0])) == "allowed") is case[1]


KEY = "s3:x-amz-server-side-encryption-aws-kms-key-id"
TOPIC = "arn:aws:events:us-east-1:123456789012:rule/created"

CONDITIONS: dict[str, tuple[Mapping[str, Any], Mapping[str, str], bool]] = {
    "equal": ({"StringEquals": {"s3:prefix": "a/"}}, {"s3:prefix": "a/"}, True),
    "one of two": ({"StringEquals": {"s3:prefix": ["a/", "b/"]}}, {"s3:prefix": "b/"}, True),
    "unequal": ({"StringEquals": {"s3:prefix": "a/"}}, {"s3:prefix": "b/"}, False),
    "equal, absent": ({"StringEquals": {"s3:prefix": "a/"}}, {}, False),
    "equal if it exists, absent": ({"StringEqualsIfExists": {"s3:prefix": "a/"}}, {}, True),
    "equal if it exists, other": ({"StringEqualsIfExists": {"s3:prefix": "a/"}}, {"s3:prefix": "b/"}, False),
    "not equal": ({"StringNotEquals": {KEY: "k"}}, {KEY: "j"}, True),
    "not equal, but equal": ({"StringNotEquals": {KEY: "k"}}, {KEY: "k"}, False),
    "not equal to one of two": ({"StringNotEquals": {KEY: ["k", "j"]}}, {KEY: "j"}, False),
    "not equal, absent": ({"StringNotEquals": {KEY: "k"}}, {}, True),
    "like": ({"StringLike": {"s3:prefix": "a/*"}}, {"s3:prefix": "a/b/c"}, True),
    "not like": ({"StringNotLike": {"s3:prefix": "a/*"}}, {"s3:prefix": "a/b"}, False),
    "like, absent": ({"StringLike": {"s3:prefix": "a/*"}}, {}, False),
    "like, absent, even by a star": ({"StringLike": {"s3:prefix": "*"}}, {}, False),
    "like, empty": ({"StringLike": {"s3:prefix": "a/*"}}, {"s3:prefix": ""}, False),
    "like, empty by a star": ({"StringLike": {"s3:prefix": "*"}}, {"s3:prefix": ""}, True),
    "like, the folder itself": ({"StringLike": {"s3:prefix": "a/*"}}, {"s3:prefix": "a/"}, True),
    "like, the beginning of the folder": ({"StringLike": {"s3:prefix": "a/*"}}, {"s3:prefix": "a"}, False),
    "like if it exists, absent": ({"StringLikeIfExists": {"s3:prefix": "a/*"}}, {}, True),
    "like if it exists, empty": ({"StringLikeIfExists": {"s3:prefix": "a/*"}}, {"s3:prefix": ""}, False),
    "like if it exists, other": ({"StringLikeIfExists": {"s3:prefix": "a/*"}}, {"s3:prefix": "b/"}, False),
    "not like, absent": ({"StringNotLike": {"s3:prefix": "a/*"}}, {}, True),
    "not like if it exists, absent": ({"StringNotLikeIfExists": {"s3:prefix": "a/*"}}, {}, True),
    "bool, absent": ({"Bool": {"aws:SecureTransport": "false"}}, {}, False),
    "bool if it exists, absent": ({"BoolIfExists": {"aws:SecureTransport": "false"}}, {}, True),
    "less, absent": ({"NumericLessThan": {"s3:TlsVersion": 1.2}}, {}, False),
    "less if it exists, absent": ({"NumericLessThanIfExists": {"s3:TlsVersion": 1.2}}, {}, True),
    "arn, absent": ({"ArnLike": {"aws:SourceArn": "arn:aws:events:*:*:*"}}, {}, False),
    "arn if it exists, absent": ({"ArnLikeIfExists": {"aws:SourceArn": "arn:aws:events:*:*:*"}}, {}, True),
    "arn not like, another": ({"ArnNotLike": {"aws:SourceArn": f"{ROLE}/*"}}, {"aws:SourceArn": ROLE}, True),
    "arn not like, but like": ({"ArnNotLike": {"aws:SourceArn": f"{ROLE}*"}}, {"aws:SourceArn": ROLE}, False),
    "arn not like, absent": ({"ArnNotLike": {"aws:SourceArn": f"{ROLE}*"}}, {}, True),
    "null, empty is present": ({"Null": {"s3:prefix": "true"}}, {"s3:prefix": ""}, False),
    "absent but wanted by one of two": (
        {"Null": {"s3:prefix": "false"}, "StringLikeIfExists": {"s3:prefix": "a/*"}},
        {},
        False,
    ),
    "key in another case": ({"StringLike": {"S3:Prefix": "a/*"}}, {"s3:prefix": "a/b"}, True),
    "bool, as YAML reads it": ({"Bool": {"aws:SecureTransport": False}}, {"aws:SecureTransport": "false"}, True),
    "bool, other": ({"Bool": {"aws:SecureTransport": "false"}}, {"aws:SecureTransport": "true"}, False),
    "null, absent": ({"Null": {KEY: "true"}}, {}, True),
    "null, present": ({"Null": {KEY: "true"}}, {KEY: "k"}, False),
    "not null, present": ({"Null": {KEY: False}}, {KEY: "k"}, True),
    "not null, absent": ({"Null": {KEY: False}}, {}, False),
    "arn": ({"ArnEquals": {"aws:SourceArn": TOPIC}}, {"aws:SourceArn": TOPIC}, True),
    "arn by star": ({"ArnLike": {"aws:SourceArn": "arn:aws:events:*:*:rule/c*"}}, {"aws:SourceArn": TOPIC}, True),
    "arn, star across colons": ({"ArnLike": {"aws:SourceArn": "arn:aws:*"}}, {"aws:SourceArn": TOPIC}, False),
    "both must hold": ({"Null": {KEY: True}, "StringEquals": {"s3:prefix": "a"}}, {"s3:prefix": "b"}, False),
}


@pytest.mark.parametrize("case", CONDITIONS.values(), ids=CONDITIONS)
def test_conditions_hold_as_aws_says(case: tuple[Mapping[str, Any], Mapping[str, str], bool]) -> None:
    condition, context, expected = case
    request = Request(ROLE, "s3:PutObject", OBJECT, context)
    assert (decide(request, policy(statement(Condition=condition))) == "allowed") is expected


UNKNOWN = {
    "operator": (statement(Condition={"DateLessThan": {"s3:prefix": "a"}}), "operator DateLessThan"),
    "set operator": (statement(Condition={"ForAnyValue:StringEquals": {"s3:prefix": "a"}}), "ForAnyValue"),
    "null if exists": (statement(Condition={"NullIfExists": {"s3:prefix": "true"}}), "operator NullIfExists"),
    "key": (statement(Condition={"StringEquals": {"aws:UserAgent": "a"}}), "condition key aws:UserAgent"),
    "element": (statement(NotPrincipal="*"), "has NotPrincipal"),
    "principal": (to({"Federated": "a"}), "kind Federated"),
    "effect": (statement("Maybe"), "effect Maybe"),
    "variable": (statement(resource="arn:aws:s3:::landing/${aws:username}/*"), "variables are not evaluated"),
    "unresolved reference": (statement(resource={"Ref": "Bucket"}), "no plain text"),
}


@pytest.mark.parametrize("case", UNKNOWN.values(), ids=UNKNOWN)
def test_unknown_things_are_errors(case: tuple[Any, str]) -> None:
    with pytest.raises(UnknownInPolicy, match=case[1]):
        read({"Version": "2012-10-17", "Statement": [case[0]]})


def test_used_grants_are_named_as_written() -> None:
    both = statement(
        action=["s3:PutObject", "s3:Get*"], resource=["arn:aws:s3:::landing/*", "arn:aws:s3:::b"], Sid="Own"
    )
    both_and_deny = policy([both, statement("Deny", action="s3:DeleteObject")])

    assert set(allowing(both_and_deny, asked(action="s3:GetObject"))) == {("Own", "s3:Get*", "arn:aws:s3:::landing/*")}
    assert len(grants(both_and_deny)) == 4
