"""Parameters of a deployment: what is out of bounds is named, with what is allowed; what it takes, we take."""

from __future__ import annotations

import pytest

from infra.deployment import deploy
from infra.local.template.template import parameters_of
from infra.packaging.bundles import ROOT
from infra.parameters import read, wrong

DECLARED = parameters_of(ROOT / "template.yaml")
FREE = {"SubnetIds", "SecurityGroupIds"}
"""Lists of ids, which EMR Serverless looks up."""


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("WindowSeconds=901", "WindowSeconds is '901'; allowed is a whole number from 0 to 900."),
        ("WindowSeconds=-1", "WindowSeconds is '-1'; allowed is a whole number from 0 to 900."),
        ("WindowSeconds=1.5", "WindowSeconds is '1.5'; allowed is a whole number from 0 to 900."),
        ("WindowSeconds", "WindowSeconds is ''; allowed is a whole number from 0 to 900."),
        ("Architecture=arm", "Architecture is 'arm'; allowed is one of arm64, x86_64."),
        ("windowseconds=30", "There is no parameter windowseconds. Did you mean WindowSeconds?"),
        ("BucketPrefix=Acme", "BucketPrefix is 'Acme'; it must be 3 to 50 small letters, digits and hyphens"),
        ("DataKeyArn=alias/mine", "DataKeyArn is 'alias/mine'; it must be the ARN of a KMS key (no alias), or empty."),
    ],
)
def test_what_is_out_of_bounds_is_named(word: str, message: str) -> None:
    (sentence,) = wrong(read([word]), DECLARED)

    assert sentence.startswith(message)


def test_every_default_is_allowed_and_every_edge() -> None:
    for edge in ("Default", "MinValue", "MaxValue"):
        given = {name: str(rules[edge]) for name, rules in DECLARED.items() if edge in rules}
        assert given
        assert wrong(given, DECLARED) == []


@pytest.mark.parametrize("name", sorted(DECLARED.keys() - FREE))
def test_every_parameter_is_bounded(name: str) -> None:
    assert wrong({name: "no such value!"}, DECLARED)


def test_deployment_stops_before_anything(capsys: pytest.CaptureFixture[str]) -> None:
    assert deploy.main(["up", "--parameters", "LogDays=2", "Windows=3"]) == 3
    errors = capsys.readouterr().err

    assert errors.startswith("dropgate: LogDays is '2'; allowed is one of 1, 3, 5, 7,")
    assert "Did you mean WindowSeconds?" in errors
    assert "Nothing was deployed." in errors
