"""Plans that put pods on shared GPU cards: right ones, and each fault once."""

from __future__ import annotations

from verify_builders import entry, gang, node, placed, plan, pods, snapshot, spec
from verify_mutations import Mutation

from models.rules import RuleId
from models.workloads import PodSpec

REGISTER = "volcano.sh/node-vgpu-register"
IDS = "volcano.sh/vgpu-ids-new"


def _share(milli: int) -> PodSpec:
    return spec(0, request={"gangplan.io/gpu-milli": milli})


def _vgpu(**amounts: int) -> PodSpec:
    return spec(0, request={f"volcano.sh/vgpu-{name}": n for name, n in amounts.items()})


def _mutation(name, cluster, legal, broken, neighbour) -> Mutation:
    def start(*items):
        return plan(entry("x", "start", *items))

    return Mutation(
        RuleId.CARD_PACKING, name, cluster, start(legal), start(*broken), start(*neighbour)
    )


def _shares() -> list[Mutation]:
    cluster = snapshot(
        nodes=[node("n1", 2), node("n2", 2)], gangs=[gang("x")], pods=[pods("x", 3, _share(600))]
    )
    sums = _mutation(
        "the sum would do, no card has room",
        cluster,
        placed("n1", "x-0"),
        [placed("n1", "x-0", "x-1", "x-2")],
        [placed("n1", "x-0", "x-1"), placed("n2", "x-2")],
    )
    named = _mutation(
        "two named on one card",
        cluster,
        placed("n1", "x-0", cards=((0,),)),
        [placed("n1", "x-0", "x-1", cards=((0,), (0,)))],
        [placed("n1", "x-0", "x-1", cards=((0,), (1,)))],
    )
    no_card = _mutation(
        "a card that the node does not have",
        cluster,
        placed("n1", "x-0", cards=((0,),)),
        [placed("n1", "x-0", cards=((2,),))],
        [placed("n1", "x-0", cards=((1,),))],
    )
    mixed = snapshot(
        nodes=[node("n1", 2), node("n2", 2)],
        gangs=[gang("x")],
        pods=[pods("x", 1, spec(2)), pods("x", 1, _share(10), first=1)],
    )
    whole = _mutation(
        "whole GPUs beside a share",
        mixed,
        placed("n1", "x-0"),
        [placed("n1", "x-0", "x-1")],
        [placed("n1", "x-0"), placed("n2", "x-1")],
    )
    told = snapshot(
        nodes=[node("n1", 2), node("n2", 2)],
        gangs=[gang("x"), gang("y")],
        pods=[
            pods("x", 2, _share(500)),
            pods("y", 1, _share(600), node="n1", annotations={"gangplan.io/gpu-index": "0"}),
        ],
    )
    kept = _mutation(
        "a running pod keeps its card",
        told,
        placed("n1", "x-0", cards=((1,),)),
        [placed("n1", "x-0", cards=((0,),))],
        [placed("n1", "x-0", "x-1", cards=((1,), (1,)))],
    )
    return [sums, named, no_card, whole, kept]


def _vgpus() -> list[Mutation]:
    cards = "".join(f"GPU-{i},10,32768,NVIDIA-A100,true,hami-core:" for i in range(2))
    marks = {REGISTER: cards}
    nodes = [node("n1", 0, annotations=marks), node("n2", 0, annotations=marks)]
    several = snapshot(
        nodes=nodes,
        gangs=[gang("x")],
        pods=[pods("x", 1, _vgpu(number=3, memory=1000)), pods("x", 1, _vgpu(number=2), first=1)],
    )
    different = _mutation(
        "three different cards of two",
        several,
        placed("n1", "x-1"),
        [placed("n1", "x-0")],
        [placed("n2", "x-1")],
    )
    cores = snapshot(
        nodes=nodes,
        gangs=[gang("x")],
        pods=[
            pods("x", 2, _vgpu(number=1, memory=1000, cores=100)),
            pods("x", 1, _vgpu(number=1, memory=1000, cores=0), first=2),
        ],
    )
    alone = _mutation(
        "all cores of a card are nobody else's",
        cores,
        placed("n1", "x-0"),
        [placed("n1", "x-0", "x-1", "x-2")],
        [placed("n1", "x-0", "x-1"), placed("n2", "x-2")],
    )
    held = snapshot(
        nodes=nodes,
        gangs=[gang("x"), gang("y")],
        pods=[
            pods("x", 2, _vgpu(number=1, memory=20000)),
            pods(
                "y",
                1,
                _vgpu(number=1, memory=20000, cores=10),
                node="n1",
                annotations={IDS: "GPU-0,NVIDIA,20000,10:;"},
            ),
        ],
    )
    memory = _mutation(
        "memory of a card",
        held,
        placed("n1", "x-0"),
        [placed("n1", "x-0", "x-1")],
        [placed("n1", "x-0"), placed("n2", "x-1")],
    )
    return [different, alone, memory]


CARD_MUTATIONS = (*_shares(), *_vgpus())
