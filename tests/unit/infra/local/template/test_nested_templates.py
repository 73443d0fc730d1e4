"""Templates within a template: what the embedded stack makes of them is what CloudFormation would."""

import json
from pathlib import Path
from typing import Any

import pytest

from infra.local.template.nested_templates import NamedTwice, Template, flattened


def load(path: Path) -> Template:
    template: Template = json.loads(path.read_text())
    return template


def nested(folder: Path, given: dict[str, Any], inner: dict[str, Any]) -> Template:
    """A root with one nested template and an output of it, made flat."""
    stack = {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "inner.json", "Parameters": given}}
    root = {
        "Parameters": {"Size": {"Type": "Number"}},
        "Resources": {"Inner": stack, "Bucket": {"Type": "AWS::S3::Bucket"}},
        "Outputs": {"Made": {"Value": {"Fn::GetAtt": ["Inner", "Outputs.Made"]}}},
    }
    (folder / "root.json").write_text(json.dumps(root))
    (folder / "inner.json").write_text(json.dumps(inner))
    return flattened(folder / "root.json", load)


def queue(value: Any) -> dict[str, Any]:
    return {"Queue": {"Type": "AWS::SQS::Queue", "Properties": {"Value": value}}}


@pytest.mark.parametrize(
    ("given", "value", "made"),
    [
        ({"Ref": "Size"}, {"Ref": "P"}, {"Ref": "Size"}),
        (3, {"Ref": "P"}, 3),
        ({"Ref": "Bucket"}, {"Fn::Sub": "s3://${P}/a"}, {"Fn::Sub": "s3://${Bucket}/a"}),
        ({"Fn::GetAtt": ["Bucket", "Arn"]}, {"Fn::Sub": "${P}/*"}, {"Fn::Sub": "${Bucket.Arn}/*"}),
        (3, {"Fn::Sub": "${P} of ${AWS::Region}"}, {"Fn::Sub": ["${P} of ${AWS::Region}", {"P": 3}]}),
        ({"Ref": "Size"}, {"Fn::If": ["Big", {"Ref": "P"}, 1]}, {"Fn::If": ["Big", {"Ref": "Size"}, 1]}),
    ],
)
def test_parameter_becomes_what_is_given_for_it(given: Any, value: Any, made: Any, tmp_path: Path) -> None:
    inner = {
        "Parameters": {"P": {"Type": "String"}},
        "Resources": queue(value),
        "Outputs": {"Made": {"Value": {"Ref": "P"}}},
    }

    flat = nested(tmp_path, {"P": given}, inner)

    assert flat["Resources"]["Queue"]["Properties"]["Value"] == made
    assert flat["Outputs"]["Made"]["Value"] == given
    assert flat["Resources"].keys() == {"Bucket", "Queue"}


def test_parameter_that_is_not_given_has_its_default(tmp_path: Path) -> None:
    inner = {
        "Parameters": {"P": {"Type": "Number", "Default": 7}},
        "Resources": queue({"Ref": "P"}),
        "Outputs": {"Made": {"Value": {"Ref": "Queue"}}},
    }

    flat = nested(tmp_path, {}, inner)

    assert flat["Resources"]["Queue"]["Properties"]["Value"] == 7
    assert flat["Outputs"]["Made"]["Value"] == {"Ref": "Queue"}


def test_list_comes_down_as_one_text_and_is_a_list_again(tmp_path: Path) -> None:
    inner = {
        "Parameters": {"P": {"Type": "CommaDelimitedList"}},
        "Resources": queue({"Ref": "P"}),
        "Outputs": {"Made": {"Value": "x"}},
    }

    flat = nested(tmp_path, {"P": "a,b"}, inner)

    assert flat["Resources"]["Queue"]["Properties"]["Value"] == {"Fn::Split": [",", "a,b"]}


def test_name_in_two_templates_is_refused(tmp_path: Path) -> None:
    inner = {"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}, "Outputs": {"Made": {"Value": "x"}}}

    with pytest.raises(NamedTwice, match="Bucket is in two templates"):
        nested(tmp_path, {}, inner)
