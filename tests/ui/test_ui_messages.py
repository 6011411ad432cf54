from __future__ import annotations

import ast
import string
from pathlib import Path
from typing import get_args

import pytest

from models import edits
from models.edits.nodes import EDITS as NODE_EDITS
from models.history.adoption import Fate
from models.history.difference import Became
from models.plan import Decision, PodAction
from models.rules import RuleId
from planner.report import (
    charts,
    drill_charts,
    map_charts,
    night_charts,
    proof_words,
    scenario_charts,
    trend_charts,
)
from planner.report.frames.shares import UNITS
from planner.report.proof_words import _KINDS as TIER_WORDS
from planner.report.proof_words import _STATUS as PROOF_WORDS
from planner.report.reason_words import ADVICE, MEANING
from planner.usecases.whatif.edit_forms import form_texts
from ui import messages
from ui.messages import CATALOGS, Words
from ui.parts.findings import ICONS
from ui.parts.history_lists import TRENDS
from ui.parts.history_words import FIGURE_WORDS
from ui.parts.labels import LABELS
from ui.parts.night_settings import SOURCES
from ui.sidebar import RUNS, solve
from ui.sidebar.solve import STAGES
from ui.whatif.labels import SCENARIO_LABELS
from ui.whatif.over_time import CHOICES
from ui.whatif.queue_editor import HEADINGS
from ui.whatif.results import FATES, JUDGEMENTS
from ui.whatif.sweeping import FIGURES
from ui.whatif.words import TITLES

OPTIONS = {*solve.QUEUE_MODELS, *solve.OBJECTIVES, *solve.SCOPES} - {""}
OPTIONS |= {"Queue model", "Objective", "Priority counts in the"}
ICONS_BY_WORD = {word: word for word in ICONS}
CHARTS = (charts, map_charts, night_charts, drill_charts, scenario_charts, trend_charts)
ROOT = Path(messages.__file__).resolve().parents[1]


def literals(path: Path) -> set[str]:
    """Texts that a file gives to ``say(…)`` or ``say.counted(…)``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func
        said = isinstance(name, ast.Name) and name.id == "say"
        said = said or (isinstance(name, ast.Attribute) and name.attr in ("say", "counted"))
        said = said or (isinstance(name, ast.Name) and name.id == "self")
        if said:
            found |= {
                one.value
                for one in node.args
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
    return found


def used_texts() -> set[str]:
    files = [*ROOT.rglob("*.py")]
    files += [Path(one.__file__) for one in (*CHARTS, proof_words)]
    files += Path(edits.__file__).parent.glob("*.py")
    found = set().union(*(literals(path) for path in files))
    found |= {one.phrase for one in NODE_EDITS if hasattr(one, "phrase")}
    found |= {unit for unit, _ in TRENDS}
    found |= set(night_charts.STATES) | set(SOURCES.values()) | set(RUNS.values())
    for words in (
        LABELS,
        MEANING,
        ADVICE,
        STAGES,
        UNITS,
        ICONS_BY_WORD,
        PROOF_WORDS,
        TIER_WORDS,
        FIGURE_WORDS,
    ):
        found |= set(words.values())
    found |= {*get_args(Decision), *get_args(PodAction), *get_args(Became), *get_args(Fate)}
    found |= form_texts() | {
        *FATES,
        *JUDGEMENTS,
        *HEADINGS.values(),
        *FIGURES.values(),
        *TITLES.values(),
        *CHOICES.values(),
    }
    return found | set(charts.STATE_COLORS) | set(OPTIONS)


def names_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_the_scan_finds_the_texts_of_pages():
    assert {"Overview", "{count} gang", "GPUs by state, one bar per pool"} <= used_texts()


@pytest.mark.parametrize("language", [one for one in CATALOGS if one != "en"])
def test_every_text_is_in_the_catalog(language):
    missing = sorted(used_texts() - set(CATALOGS[language]))
    assert not missing


@pytest.mark.parametrize("language", [one for one in CATALOGS if one != "en"])
def test_translations_keep_the_values_of_a_text(language):
    for text, translated in CATALOGS[language].items():
        assert names_in(text) == names_in(translated), text


def test_words_fill_values_with_separators():
    assert Words("en").gangs(1) == "1 gang"
    assert Words("en").gangs(10_000) == "10,000 gangs"
    assert Words("zh").gangs(10_000) == "10,000 个任务组"


def test_an_unknown_language_is_english():
    assert Words("xx")("Overview") == "Overview"


def test_no_table_takes_the_heading_of_another():
    assert {name: LABELS[name] for name in SCENARIO_LABELS} == SCENARIO_LABELS


def test_edits_and_certificates_are_told_in_the_language_of_the_page(planned):
    from models.edits.short import short_edits
    from ui.whatif.drafts import add_edits, new_draft

    say = Words("zh")
    planned.app.session_state["language"] = "zh"
    planned.open("proof")
    assert "所有启动层均已证明" in planned.texts()
    assert f"检查通过：{len(RuleId)} 条规则，0 处违反" in planned.texts()
    assert add_edits(planned.state, new_draft(planned.state, say), short_edits("drain", "h100-1"))
    planned.open("whatif")
    assert "1. 排空 h100-1" in planned.texts()
    planned.app.session_state["table-waiting-0"] = {"selection": {"rows": [1], "columns": []}}
    planned.open("waiting")
    assert "add " not in planned.texts()
    assert "个与 h100" in planned.texts()


def test_parts_of_gpus_are_told() -> None:
    say = Words("en")
    assert [say.milli_gpus(milli) for milli in (250, 1000, 7300)] == [
        "0.25 GPUs",
        "1 GPU",
        "7.30 GPUs",
    ]
