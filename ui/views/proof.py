"""Proof and data: can it be trusted."""

from __future__ import annotations

import streamlit as st

from planner.report.charts import incumbents, tier_gaps
from planner.report.frames import rules_frame
from planner.report.frames.sources import ignored_frame, missing_frame, sources_frame
from planner.report.proof_words import properties_words, tier_words, verification_words
from planner.report.text import duration
from planner.usecases.bundle import bundle_bytes, bundle_name
from ui.parts.drawing import show_chart
from ui.parts.page import Metric, Page, begin, head, proof_metric
from ui.parts.tables import show_table


def _planned(page: Page) -> None:
    say, result = page.say, page.result
    certificate = result.certificate
    closed = sum(1 for tier in certificate.tiers if tier.gap == 0)
    check = result.verification
    violations = len(check.violations) if check is not None else 0
    head(
        page,
        say("Proof and data"),
        say(
            "An independent check of {rules} rules found {violations}; {closed} of {tiers} tiers are closed.",
            rules=check.rules if check is not None else 0,
            violations=say.counted(violations, "{count} violation", "{count} violations"),
            closed=closed,
            tiers=len(certificate.tiers),
        ),
        (
            Metric(
                say("Violations"),
                f"{violations:,}",
                say("of {rules} rules", rules=check.rules if check else 0),
            ),
            proof_metric(page),
            Metric(say("Tiers proved"), f"{closed:,} / {len(certificate.tiers):,}"),
            Metric(say("Time"), duration(certificate.seconds)),
            Metric(say("Findings"), f"{len(page.view.findings):,}"),
        ),
    )
    certificate_tab, rules, data, policy = st.tabs(
        [say("Certificate"), say("Rules"), say("Data"), say("Policy")]
    )
    with certificate_tab:
        _certificate(page)
    with rules:
        st.caption(verification_words(check, say))
        _rules(page)
    with data:
        _data(page)
    with policy:
        _policy(page)


def _certificate(page: Page) -> None:
    say, view = page.say, page.view
    st.caption(properties_words(page.result.certificate, say))
    show_table(
        say,
        "tiers",
        view.tiers.assign(tier_means=[tier_words(name, say) for name in view.tiers["tier"]]),
        (
            "tier_means",
            "value",
            "bound",
            "gap_percent",
            "unit",
            "tier",
        ),
        alt=say("Tiers of the objective with value, bound and gap"),
        empty=say("No tier is reported."),
    )
    if (view.tiers["gap"].fillna(1) > 0).any():  # bars of nothing tell nothing
        show_chart(tier_gaps(view.tiers, say), "tier-gaps")
    _history(page)
    st.subheader(say("Where the time went"), anchor=False)
    show_table(
        say,
        "stages",
        view.stages,
        ("stage", "seconds"),
        alt=say("Seconds per stage of the run"),
        empty=say("No times are reported."),
    )


def _history(page: Page) -> None:
    say, plan = page.say, page.plan
    history = plan.job.history() if plan is not None else {}
    if plan is None or not history:
        return
    st.subheader(say("Best plan and bound over time"), anchor=False)
    units = {tier.name: tier.unit for tier in plan.result.certificate.tiers}
    chosen = str(st.selectbox(say("Tier"), list(history), key="history-tier"))
    points = [(point.elapsed_s, point.value, point.bound) for point in history[chosen]]
    show_chart(
        incumbents(points, unit=units.get(chosen, ""), say=say),
        key="incumbents",
    )


def _rules(page: Page) -> None:
    say = page.say
    show_table(
        say,
        "rules",
        rules_frame(page.result),
        ("rule", "message", "violations", "constraint", "invariant"),
        alt=say("Rules that every plan satisfies, with violations found"),
        empty=say("No rule is listed."),
        wrap=True,
    )


def _data(page: Page) -> None:
    say, snapshot = page.say, page.result.snapshot
    st.subheader(say("Findings about the input"), anchor=False)
    show_table(
        say,
        "findings",
        page.view.findings,
        ("severity", "object", "message", "remedy", "code"),
        alt=say("Findings about the input"),
        empty=say("Nothing is noticeable about this export."),
        wrap=True,
    )
    for title, key, frame, columns, empty in (
        (
            say("Sources"),
            "sources",
            sources_frame(page.base.given.snapshot),
            ("name", "format", "objects"),
            say("No source is named."),
        ),
        (
            say("Kinds that the export lacks"),
            "missing",
            missing_frame(snapshot),
            ("kind", "assumed"),
            say("The export lacks no kind."),
        ),
        (
            say("Objects that were read and not used"),
            "ignored",
            ignored_frame(snapshot),
            ("kind", "number"),
            say("Every object was used."),
        ),
    ):
        st.subheader(title, anchor=False)
        show_table(say, key, frame, columns, alt=title, empty=empty)


def _policy(page: Page) -> None:
    say = page.say
    show_table(
        say,
        "policy",
        page.view.policy,
        ("key", "value", "origin"),
        alt=say("The policy with the origin of each key"),
        empty=say("No policy is reported."),
    )


def _before(page: Page) -> None:
    say, found = page.say, page.base.inventory
    counts = {
        severity: sum(1 for one in found.findings if one.severity == severity)
        for severity in ("error", "warning", "info")
    }
    head(
        page,
        say("Proof and data"),
        say(
            "About the input: {errors}, {warnings}; the proof appears with a plan.",
            errors=say.counted(counts["error"], "{count} error", "{count} errors"),
            warnings=say.counted(counts["warning"], "{count} warning", "{count} warnings"),
        ),
        (
            Metric(say("Errors"), f"{counts['error']:,}"),
            Metric(say("Warnings"), f"{counts['warning']:,}"),
            Metric(say("Notes"), f"{counts['info']:,}"),
        ),
    )
    data, rules, policy = st.tabs([say("Data"), say("Rules"), say("Policy")])
    with data:
        _data(page)
    with rules:
        _rules(page)
    with policy:
        _policy(page)


def _bundle(page: Page) -> None:
    say, plan = page.say, page.plan
    if plan is None:
        return
    asked = plan.request
    st.download_button(
        say("Bundle for a bug report"),
        lambda: bundle_bytes(asked.snapshot, asked.policy, plan.result),
        file_name=bundle_name(asked.snapshot),
        mime="application/zip",
        key="bundle",
        on_click="ignore",
        icon=":material/folder_zip:",
        help=say(
            "Snapshot, policy, plan and violations: everything to repeat this run. It holds the names of your cluster."
        ),
    )


page = begin()
if page is not None:
    if page.plan is not None:
        _planned(page)
    else:
        _before(page)
    _bundle(page)
