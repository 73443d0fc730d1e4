"""The template's alarms that would ring if what happens here went on: metrics in, names of alarms out.

Our own metrics are those that the functions print. Of AWS's own: an invocation that ends in an exception, or that
Lambda kills, counts into `Errors`, while messages that a function hands back do not (docs.aws.amazon.com/lambda/latest/
dg/monitoring-metrics-types.html); dead letters are counted where they lie. Time does not pass, nothing grows old.
"""

from __future__ import annotations

import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from operator import ge, lt
from typing import Any

from infra.local.template.template import expand, of_type
from tests.integration.functions.conftest import TEMPLATE

_EXPANDED = expand(TEMPLATE, "us-east-1")
_ALARMS = {
    name.removesuffix("Alarm"): resource["Properties"]
    for name, resource in of_type(_EXPANDED, "AWS::CloudWatch::Alarm").items()
}
_STATISTICS: dict[str, Callable[[list[float]], float]] = {"Sum": sum, "Maximum": max, "Minimum": min}
_BREACHES = {"GreaterThanOrEqualToThreshold": ge, "LessThanThreshold": lt}

Seen = Mapping[tuple[str, str, str | None], list[float]]
"""Values of metrics by namespace, name, and the resource that AWS's own are about."""


def seen_of(act: Callable[[], object], errors: Counter[str], dead: Callable[[str], int]) -> Seen:
    """The metrics of what is done: printed ones, `errors` by function, and how many letters a queue holds."""
    errors.clear()
    with redirect_stdout(io.StringIO()) as printed:
        act()
    seen: dict[tuple[str, str, str | None], list[float]] = defaultdict(list)
    for line in (json.loads(text) for text in printed.getvalue().splitlines() if '"_aws"' in text):
        for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]:
            seen["dropgate", metric["Name"], None] += line[metric["Name"]]
    for function, number in errors.items():
        seen["AWS/Lambda", "Errors", function] = [number]
    for about in _ALARMS.values():
        if about["MetricName"] == "ApproximateNumberOfMessagesVisible":
            queue = _resource(about)
            seen["AWS/SQS", about["MetricName"], queue] = [dead(str(queue))]
    return seen


def ringing(seen: Seen) -> set[str]:
    """The alarms whose every period would be like what was seen."""
    return {name for name, about in _ALARMS.items() if _rings(about, seen)}


def _rings(about: Mapping[str, Any], seen: Seen) -> bool:
    values = seen.get((about["Namespace"], about["MetricName"], _resource(about)))
    if not values:
        return bool(about["TreatMissingData"] == "breaching")
    figure = _STATISTICS[about["Statistic"]](values)
    return bool(_BREACHES[about["ComparisonOperator"]](figure, _number(about["Threshold"])))


def _number(threshold: Any) -> float:
    return float(_EXPANDED["Parameters"][threshold["Ref"]]["Default"] if isinstance(threshold, Mapping) else threshold)


def _resource(about: Mapping[str, Any]) -> str | None:
    """The logical id of what a metric of AWS's is about."""
    if about["Namespace"] == "dropgate":
        return None
    value = about["Dimensions"][0]["Value"]
    resource = value.get("Ref") or value["Fn::GetAtt"]
    return str(resource if isinstance(resource, str) else resource[0])
