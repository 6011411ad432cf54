from __future__ import annotations

import pytest


def upload(dashboard, text, name="policy.yaml"):
    app = dashboard.app
    key = f"policy-{dashboard.state.policy_round}"
    data = text if isinstance(text, bytes) else text.encode()
    app.file_uploader(key=key).upload(name, data, "application/yaml")
    next(one for one in app.button if one.label == "Use this file").click().run()
    dashboard.checked()


def test_a_policy_file_holds_until_it_is_left(planned):
    before = planned.state.plan.request.key
    upload(planned, "queue_model: capacity\nevict: [preempt]\n")
    assert "Policy file: policy.yaml" in planned.texts()
    assert "stale: inputs changed" in planned.texts()
    planned.plan()
    policy = planned.state.plan.request.policy
    assert policy.policy.evict == ("preempt",)
    assert policy.origins["evict"] == "file"
    planned.open("whatif")
    planned.press("leave-policy")
    assert "stale: inputs changed" in planned.texts()
    planned.plan()
    assert planned.state.plan.request.key == before


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("queue_modl: capacity\n", "queue_model"),
        ("queue_model: nonsense\n", "queue_model"),
        ("- a\n", "not a mapping"),
        ("{", "YAML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b" " * (1 << 20) + b"#", "larger than 1 MiB"),
    ],
)
def test_a_faulty_policy_file_is_explained_and_the_old_one_kept(start, data, words):
    from ui.own_policy import take_policy

    dashboard = start()
    before = dashboard.state.opened.snapshot.digest
    assert not take_policy(
        dashboard.state, "p.yaml", data if isinstance(data, bytes) else data.encode()
    )
    dashboard.run()
    assert words in dashboard.texts()
    assert "What helps" in dashboard.texts()
    assert dashboard.state.own_policy is None
    assert dashboard.state.opened.snapshot.digest == before
    assert dashboard.metrics()["Allocated now (GPUs)"] == "36"


def test_commands_that_repeat_a_page_name_the_file(start):
    from ui.whatif.sharing import marginal_command

    dashboard = start()
    assert "--policy" not in marginal_command(dashboard.state)
    upload(dashboard, "queue_model: capacity\n")
    assert "--policy POLICY.yaml" in marginal_command(dashboard.state)


def test_visitors_of_a_read_only_server_bring_no_policy(start):
    dashboard = start(read_only=True)
    assert not [one for one in dashboard.app.file_uploader if "policy" in str(one.key)]
