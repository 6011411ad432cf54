from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import jsonschema
import pytest

from planner.report.compare import compare

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def make_schema():
    spec = importlib.util.spec_from_file_location("make_schema", ROOT / "data" / "make_schema.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def schema(name):
    return json.loads((ROOT / "data" / "schema" / name).read_text("utf-8"))


def test_stored_schemas_are_those_of_the_models(make_schema):
    assert make_schema.stale() == [], "run python data/make_schema.py"


def test_no_other_file_lies_beside_the_schemas(make_schema):
    names = {path.name for path in (ROOT / "data" / "schema").iterdir()}
    assert names == set(make_schema.DOCUMENTS)


@pytest.mark.parametrize("name", ["demo", "medium"])
def test_plans_satisfy_the_schema(name, request):
    plan = request.getfixturevalue(name)
    document = json.loads(plan.model_dump_json(by_alias=True))
    validator = jsonschema.Draft202012Validator(schema("plan-result.schema.json"))
    assert list(validator.iter_errors(document)) == []


def test_a_wrong_document_does_not(demo):
    document = json.loads(demo.model_dump_json(by_alias=True))
    document["gangs"][0]["decision"] = "maybe"
    document["summary"]["gpusAfter"] = "many"
    validator = jsonschema.Draft202012Validator(schema("plan-result.schema.json"))
    places = {tuple(error.absolute_path) for error in validator.iter_errors(document)}
    assert places == {("gangs", 0, "decision"), ("summary", "gpusAfter")}


def test_differences_satisfy_their_schema(demo, medium):
    document = json.loads(compare(demo, medium).model_dump_json(by_alias=True))
    jsonschema.validate(document, schema("plan-difference.schema.json"))
