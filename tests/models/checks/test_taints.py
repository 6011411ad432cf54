from __future__ import annotations

from dataclasses import replace

import pytest

from models.selectors import Taint, Toleration, first_untolerated
from planner.verify.matching import covered

GPU_TAINT = Taint("gpu", "NoSchedule", "yes")


def test_a_taint_with_a_mistyped_effect(make):
    found = make.tells(
        "taint_effect_unknown",
        make.snapshot(make.node(taints=(Taint("dedicated", "Noschedule"),))),
        make.snapshot(
            make.node(
                taints=tuple(
                    Taint("a", one) for one in ("NoSchedule", "NoExecute", "PreferNoSchedule")
                )
            )
        ),
    )
    assert found.object == "node/n1"
    assert "dedicated:Noschedule (is NoSchedule meant?)" in found.message
    assert "NoSchedule" in found.remedy


def test_a_taint_without_an_effect(make):
    (found,) = make.findings(
        make.snapshot(make.node(taints=(Taint("dedicated", ""),))), "taint_effect_unknown"
    )
    assert "dedicated:(none)" in found.message


def _with(pod, *tolerations):
    return replace(pod, spec=replace(pod.spec, tolerations=tolerations))


@pytest.mark.parametrize(
    ("toleration", "told"),
    [
        (Toleration("gpu", "exists"), "gpu with operator exists (is Exists meant?)"),
        (
            Toleration("gpu", "Exists", effect="noschedule"),
            "effect noschedule (is NoSchedule meant?)",
        ),
        (Toleration("gpu", "Gt", "3"), "gpu with operator Gt"),
    ],
)
def test_a_toleration_that_covers_nothing(make, toleration, told):
    found = make.tells(
        "toleration_unknown",
        make.snapshot(make.node(), _with(make.pod(), toleration)),
        make.snapshot(
            make.node(), _with(make.pod(), Toleration("gpu", "Equal", "yes", "NoExecute"))
        ),
    )
    assert told in found.message


@pytest.mark.parametrize("operator", ["equal", "exists", "Gt", "Lt"])
def test_an_unknown_operator_tolerates_nothing(operator):
    one = Toleration("gpu", operator, "yes")
    assert first_untolerated((GPU_TAINT,), (one,)) == GPU_TAINT
    assert not covered(GPU_TAINT, (one,))
    assert covered(GPU_TAINT, (Toleration("gpu", "Equal", "yes"),))
