"""What holds the project together: the front page, its links, documented keys and codes, and nobody's private paths."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from models.findings import PlannerError
from models.policy import Policy
from planner.cli.app import VERBS
from planner.usecases.environment import EXTRAS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("data/*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PRIVATE = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    local = [one for one in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in one]
    assert [one for one in local if not (page.parent / one.partition("#")[0]).exists()] == []
    for target in local:
        name, _, anchor = target.partition("#")
        if anchor:
            assert anchor in anchors((page.parent / name) if name else page), target


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links to them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings}


def test_every_page_is_reached_from_the_front_page() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop().resolve()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = LINK.findall(page.read_text(encoding="utf-8"))
        names = [one.partition("#")[0] for one in links if "://" not in one]
        ahead += [page.parent / one for one in names if one]
    assert [page for page in PAGES if page.resolve() not in reached] == []


def test_the_front_page_has_the_two_lines_that_set_up() -> None:
    lines = text("README.md").splitlines()
    demo = [line for line in lines if line.endswith("&& .venv/bin/gangplan demo")]
    tests = [line for line in lines if line.endswith("&& .venv/bin/pytest")]
    assert len(demo) == len(tests) == 1
    assert 'pip install -e ".[dev]"' in tests[0]


@pytest.mark.parametrize("page", ["README.md", "docs/command-line.md"])
def test_every_exit_code_is_documented(page: str) -> None:
    codes = {0, 1, 7, 130} | {one.exit_code for one in every_error(PlannerError)}
    documented = {int(one) for one in re.findall(r"^\| (\d+) \|", text(page), re.MULTILINE)}
    assert documented == codes


def every_error(base: type[PlannerError]) -> set[type[PlannerError]]:
    return {base}.union(*(every_error(one) for one in base.__subclasses__()))


def test_every_extra_is_documented_and_shown_by_doctor() -> None:
    extras = set(tomllib.loads(text("pyproject.toml"))["project"]["optional-dependencies"])
    section = text("docs/command-line.md").partition("## Extras")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == extras
    assert set(EXTRAS) == extras - {"dev"}


def test_every_verb_and_policy_key_is_documented() -> None:
    commands, keys = text("docs/command-line.md"), text("docs/policy.md")
    assert [verb.__name__ for verb in VERBS if f"`gangplan {verb.__name__}" not in commands] == []
    assert [key for key in Policy.model_fields if f"| `{key}` |" not in keys] == []
    assert set(re.findall(r"^\| `(\w+)` \|", keys, re.MULTILINE)) == set(Policy.model_fields)


def test_defaults_in_the_policy_page_are_those_of_the_model() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", text("docs/policy.md"), re.MULTILINE)
    assert len(rows) > 10
    for key, shown in rows:
        value = Policy.model_fields[key].get_default(call_default_factory=True)
        words = f"[{', '.join(value)}]" if isinstance(value, tuple) else str(value)
        assert shown == words.replace("False", "false"), key


def test_the_version_is_told_once_and_the_changes_are_kept() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", project["version"])
    assert "## [Unreleased]" in text("CHANGELOG.md")


def test_no_path_of_a_private_machine_is_in_a_tracked_file() -> None:
    found = []
    for path in tracked():
        if path.suffix in {".png", ".webp", ".gz", ".parquet", ".lock"} or path == Path(__file__):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if PRIVATE.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_files_keep_one_idea_each() -> None:
    sources = [
        one for one in tracked() if one.parts[len(ROOT.parts)] in {"planner", "models", "ui"}
    ]
    lengths = {
        one.relative_to(ROOT): len(one.read_text(encoding="utf-8").splitlines())
        for one in sources
        if one.suffix == ".py" and one.exists()
    }
    assert {name: lines for name, lines in lengths.items() if lines > 500} == {}
    assert sorted(lengths.values())[len(lengths) // 2] <= 120
