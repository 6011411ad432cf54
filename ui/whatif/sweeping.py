"""Sweeps over one or two parameters, and what one more of everything is worth."""

from __future__ import annotations

import streamlit as st

from models.findings import InputError
from planner.report.frames.scenarios import marginal_frame, sweep_points
from planner.report.scenario_charts import marginal_bars, sweep_curve, sweep_map
from planner.report.whatif.report import what_if_report
from planner.report.whatif.sweep_document import SweepResult
from planner.report.whatif.sweep_report import sweep_report
from planner.usecases.whatif.suggestions import suggestions
from ui.parts.banners import show_fault
from ui.parts.drawing import show_chart
from ui.parts.page import Page
from ui.parts.tables import show_table
from ui.parts.text import plain
from ui.parts.widgets import keep
from ui.session import cached
from ui.whatif.asking import sweep_of
from ui.whatif.results import report_files
from ui.whatif.sharing import marginal_command, sweep_command, sweep_yaml
from ui.whatif.state import Answered

START = ("0..4", "")
FIGURES = {"gpus_in_use": "GPUs allocated", "gangs_started": "Gangs started"}


def grid_form(page: Page) -> bool:
    """Two parameters with their values; whether they make a grid."""
    say, found = page.say, page.state.whatif
    given = page.base.given
    names = cached(
        page.state,
        "suggestions",
        given.snapshot.digest,
        lambda: suggestions(given.snapshot, given.policy),
    ).of("grid_key")
    draft = found.draft()
    told = plain(draft.name) if draft is not None else say("the base")
    st.caption(
        say(
            "Every point of the grid is planned on top of {name}. Values: [1, 2, 4], 0..6, 0..60 step 10, [80%, 120%].",
            name=told,
        )
    )
    rows = []
    for number, start in enumerate(START):
        left, right = st.columns([3, 2])
        before = found.grid[number] if number < len(found.grid) else (None, start)
        keep(f"grid-key-{number}", before[0])
        keep(f"grid-values-{number}", before[1])
        key = left.selectbox(
            say("Parameter {number}", number=number + 1),
            names,
            index=None,
            accept_new_options=True,
            placeholder=say("Type or choose"),
            help=say("queue/NAME.FIELD, add/NODES, scale/QUEUE, multiply/GANG, policy.KEY …"),
            key=f"grid-key-{number}",
        )
        values = right.text_input(say("Values"), key=f"grid-values-{number}")
        if key and values.strip():
            rows.append((str(key), values.strip()))
    found.grid = tuple(rows)
    if found.sweep_fault is not None:
        show_fault(say, found.sweep_fault)
    if rows:
        _file(page)
    return bool(rows)


def _file(page: Page) -> None:
    say = page.say
    try:
        sweep = sweep_of(page.state)
    except InputError:
        return  # the button tells why
    st.caption(say("Points to plan: {points}", points=sweep.size))
    with st.expander(say("Save and share"), icon=":material/share:"):
        st.download_button(
            "sweep.yaml",
            sweep_yaml(sweep),
            file_name="sweep.yaml",
            mime="application/yaml",
            icon=":material/download:",
            key="save-sweep",
            on_click="ignore",
        )
        st.markdown(say("The same on the command line:"))
        st.code(sweep_command(page.state), language="shell", wrap_lines=True)


def sweep_results(page: Page, found: Answered) -> None:
    """Heat map or curve, points, files."""
    say, result = page.say, found.answer.sweep
    if result is None:
        return
    points = sweep_points(result)
    if result.planned:
        _charts(page, result)
    show_table(
        say,
        "sweep-points",
        points,
        tuple(points.columns),
        alt=say("Points of the sweep with their key figures"),
        empty=say("No point was planned."),
    )
    report_files(page, sweep_report(result), "sweep", say("Take the sweep away"))


def _charts(page: Page, result: SweepResult) -> None:
    say, points = page.say, sweep_points(result)
    keys = [axis.key for axis in result.axes]
    figure = str(
        st.segmented_control(
            say("Figure"),
            list(FIGURES),
            default="gpus_in_use",
            required=True,
            format_func=lambda name: say(FIGURES[name]),
            key="sweep-figure",
        )
    )
    if len(keys) > 1:
        show_chart(sweep_map(points, keys, figure, say(FIGURES[figure]), say), f"map-{figure}")
    show_chart(sweep_curve(points, keys, figure, say(FIGURES[figure]), say), f"curve-{figure}")


def marginal_results(page: Page, found: Answered) -> None:
    """Bars, table, files."""
    say, document = page.say, found.answer.document
    values = marginal_frame(document)
    if len(values):
        show_chart(marginal_bars(values, say), "marginal-bars")
    show_table(
        say,
        "marginal",
        values,
        tuple(values.columns),
        alt=say("What one more of each is worth"),
        empty=say("There is nothing to add: no node and no queue in which gangs wait."),
        wrap=True,
    )
    report_files(page, what_if_report(document), "marginal", say("Take the values away"))


def marginal_words(page: Page) -> None:
    """What the button will do."""
    say = page.say
    st.markdown(
        say(
            "Plans the cluster with one more node of each kind and one more GPU of quota of each queue in which gangs "
            "wait, and tells what each would start."
        )
    )
    st.code(marginal_command(page.state), language="shell", wrap_lines=True)
