from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from models.nightly.run import NightRun
from planner.report.night_metrics import PREFIX, night_gauges
from planner.testing.nights_by_hand import whole_night

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]


def expressions() -> Iterator[tuple[str, str]]:
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], re.sub(r"\$\w+", "a.*", target["expr"])
    for rule in RULES:
        yield rule["alert"], rule["expr"]


def selectors(text: str) -> Iterator[tuple[str, set[str]]]:
    """Metrics of an expression with the labels that it names, grouping labels included."""
    grouped = {name for part in re.findall(r"by \(([^)]*)\)", text) for name in part.split(", ")}
    for metric, labels in re.findall(rf"({PREFIX}\w+)(?:{{([^}}]*)}})?", text):
        yield metric, set(re.findall(r"(\w+)=", labels)) | grouped


def emitted() -> dict[str, Any]:
    run = NightRun(finished_at="2026-09-15T20:00:00Z", stages={"read": 1.0})
    gauges = night_gauges(run, whole_night().result)
    return {f"{PREFIX}{g.name}{'_' + g.unit if g.unit else ''}": g for g in gauges}


@pytest.mark.parametrize(("title", "text"), list(expressions()))
def test_expressions_parse_and_name_metrics_that_exist(title: str, text: str) -> None:
    promql_parser.parse(text)
    known, found = emitted(), list(selectors(text))
    assert found, title
    for metric, labels in found:
        assert metric in known, f"{title}: {metric}"
        assert labels <= set(known[metric].labels), f"{title}: {metric} has no {labels}"


@pytest.mark.parametrize(("title", "text"), list(expressions()))
def test_values_that_expressions_select_are_emitted(title: str, text: str) -> None:
    known = emitted()
    for metric, labels in re.findall(rf"({PREFIX}\w+){{([^}}]*)}}", text):
        gauge = known[metric]
        for name, pattern in re.findall(r'(\w+)=~?"([^"]*)"', labels):
            if pattern == "a.*":
                continue
            values = {sample[0][gauge.labels.index(name)] for sample in gauge.samples}
            assert set(pattern.split("|")) <= values, f"{title}: {metric} {name}"


def test_variables_ask_for_labels_that_exist() -> None:
    known = emitted()
    asked = [one["definition"] for one in DASHBOARD["templating"]["list"] if "definition" in one]
    assert len(asked) == 2
    for text in asked:
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", text).groups()  # type: ignore[union-attr]
        assert label in known[metric].labels


def test_panels_do_not_overlap_and_have_ids() -> None:
    seen: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & seen, panel["title"]
        assert max(x for x, _ in cells) < 24
        seen |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_there_are_the_three_alerts() -> None:
    assert [rule["alert"] for rule in RULES] == [
        "GangplanPlanTooOld",
        "GangplanViolations",
        "GangplanLoanReturnsLate",
    ]
    assert all(rule["annotations"]["summary"] for rule in RULES)
