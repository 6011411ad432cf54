from pathlib import Path

from benchmarks.further import FULL, Further, further_sections


def test_what_a_benchmark_prints_is_kept_below_its_heading():
    told = list(further_sections([Further("Small", "small_clusters.py", ("--instances", "1"))]))
    assert told[:3] == ["## Small", "", "`python benchmarks/small_clusters.py --instances 1`"]
    assert told[-1].startswith("| all | 1 |")


def test_one_that_fails_says_so():
    told = list(further_sections([Further("None", "small_clusters.py", ("--nothing",))]))
    assert told[-1] == "Ended with exit code 2."


def test_each_is_there():
    folder = Path(__file__).resolve().parents[2] / "benchmarks"
    assert all((folder / one.script).is_file() for one in FULL)
