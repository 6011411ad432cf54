from __future__ import annotations

import pytest

from models.edits.catalogue import edit_from
from ui.messages import Words
from ui.whatif.drafts import new_draft
from ui.whatif.sharing import command_line


@pytest.fixture
def evening(start):
    """The page What-if over schedules of the sample that has demand of its own, twelve hours long."""
    dashboard = start()
    dashboard.app.selectbox(key="source").set_value("sample:night")
    dashboard.open("night")
    dashboard.app.selectbox(key="night-horizon").set_value(12)
    dashboard.run()
    dashboard.open("whatif")
    dashboard.app.segmented_control(key="what-if-timed").set_value(True)
    dashboard.run()
    return dashboard


def compare(dashboard):
    dashboard.press("ask-scenarios")
    job = dashboard.state.whatif.job
    while job is not None:
        assert job.wait(60)
        dashboard.run()
        job = dashboard.state.whatif.job
    return dashboard


def test_schedules_are_compared_with_the_demand_of_the_page_night(evening):
    state = evening.state
    assert "Schedules over 12 hours; demand: night-demand.csv" in evening.texts()
    hot = edit_from({"scale_demand": {"service": "chat", "factor": "1.5"}})
    more = edit_from({"add_nodes": {"count": 1, "like": state.opened.snapshot.nodes[0].name}})
    new_draft(state, Words("en"), [hot], "hot")
    new_draft(state, Words("en"), [more], "one more")
    assert "--demand sample:night --horizon 12h" in command_line(state, state.whatif.drafts)
    evening.run()
    compare(evening)
    answer = state.whatif.answers["scenarios"].answer
    assert [one.error for one in answer.document.scenarios] == ["", ""]
    assert all(one.schedule is not None for one in answer.document.scenarios)
    assert answer.base_plan.schedule is not None
    assert state.plan is None  # a schedule is no plan for now
    shown = next(
        one.value for one in evening.app.dataframe if "work_gpu_hours" in one.value.columns
    )
    first = answer.document.scenarios[0].schedule
    assert list(shown["scenario"]) == ["base", "hot", "one more"]
    assert shown["work_gpu_hours"][1] == round(first.work_gpu_seconds / 3600, 2)
    assert evening.app.query_params["plans"] in ("schedules", ["schedules"])


def test_another_kind_makes_the_comparison_stale(planned):
    state = planned.state
    new_draft(state, Words("en"), [edit_from({"drain": {"nodes": "h100-1"}})], "less")
    planned.open("whatif")
    compare(planned)
    assert "it is kept, but stale" not in planned.texts()
    planned.app.segmented_control(key="what-if-timed").set_value(True)
    planned.run()
    assert "it is kept, but stale" in planned.texts()


def test_scaled_services_need_schedules(start):
    dashboard = start()
    hot = edit_from({"scale_demand": {"service": "chat", "factor": "1.5"}})
    new_draft(dashboard.state, Words("en"), [hot], "hot")
    dashboard.open("whatif")
    dashboard.press("ask-scenarios")
    assert "needs a schedule" in dashboard.texts()
    assert dashboard.state.whatif.job is None


def test_a_link_restores_what_is_compared(start):
    dashboard = start()
    fresh = type(dashboard)()
    fresh.app.query_params["plans"] = "schedules"
    fresh.run()
    fresh.open("whatif")
    assert fresh.state.whatif.timed
    assert "Schedules over 24 hours" in fresh.texts()
