from __future__ import annotations

from models.snapshot import PodUse


def test_allocated_idle(make):
    """Both pods have to be idle for an hour; one that worked a second less ago keeps the gang from being called so."""
    pods = [make.pod(f"a-{i}", gpus=4, node="n1", gang="ml/a") for i in range(2)]
    cluster = (make.node("n1"), make.gang(), *pods)

    def measured(*idle):
        return make.snapshot(
            *cluster,
            use=tuple(PodUse(f"ml/a-{i}", 7200, 0, 7200, one) for i, one in enumerate(idle)),
        )

    found = make.tells("allocated_idle", measured(3600, 7200), measured(3599, 7200))
    assert (
        "gang ml/a of queue eval holds 8 GPUs that have not worked for 1 h 00 min" in found.message
    )
    make.tells("allocated_idle", measured(3600, 3600), measured(3600, None))
    make.tells("allocated_idle", measured(3600, 3600), make.snapshot(*cluster))
