from __future__ import annotations

import json

from models.nightly.run import NightFigures, NightFile, NightRun


def test_keys_are_camel_case_and_it_reads_itself_back() -> None:
    run = NightRun(
        run_id="a",
        night="2026-09-15",
        figures=NightFigures(gpus_before=3, loan_slack_s=60),
        files=(NightFile(path="plan.json", size_bytes=2, sha256="00"),),
        changed=True,
    )
    text = run.model_dump_json(by_alias=True)
    raw = json.loads(text)
    assert raw["kind"] == "NightRun"
    assert raw["figures"]["gpusBefore"] == 3
    assert raw["figures"]["worstGap"] is None
    assert raw["files"] == [{"path": "plan.json", "sizeBytes": 2, "sha256": "00"}]
    assert NightRun.model_validate(raw) == run
