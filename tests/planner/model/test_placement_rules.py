"""Three tests per rule of the model: the smallest legal case, a forced violation, the nearest legal neighbour."""

from __future__ import annotations

from dataclasses import replace

import pytest
from placement_builders import class_of, pods_of, starting

from models.host_ports import HostPort
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.rules import CATALOGUE, RuleId
from models.selectors import LabelSelector, Taint, Toleration
from planner.encode.prepared import Prepared
from planner.model.build import BuiltModel
from planner.model.eviction_rows import EVICTION_CONSTRAINTS
from planner.model.rows import CONSTRAINTS, Formulation
from planner.problem.placement import Item
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.feasibility import must_be_feasible, must_be_infeasible
from planner.testing.gangs_by_hand import rings, roles
from planner.testing.problems import built_of, classes_of, prepared_of


def _built(*works: Work, gpus: int = 8, limit: int | None = None, nodes: int = 1) -> BuiltModel:
    parts = [gpu_node(f"n{i}", gpus) for i in range(nodes)]
    return built_of(prepared_of(snapshot_of(*parts, gpu_queue("q", capability=limit), *works)))


def test_every_rule_with_a_constraint_has_its_function() -> None:
    with_rows = {rule.id for rule in CATALOGUE if rule.constraint}
    assert with_rows == {*CONSTRAINTS, *EVICTION_CONSTRAINTS}
    assert set(CONSTRAINTS).isdisjoint(EVICTION_CONSTRAINTS)
    assert all(post.__doc__ for post in EVICTION_CONSTRAINTS.values())
    assert all(post.__doc__ and post.__name__ == rule for rule, post in CONSTRAINTS.items())


def test_rows_carry_the_rule_that_they_express() -> None:
    job = roles("x", 4, head=(1, 1, 2), worker=(5, 2, 1))
    works = (job, rings("y", sizes=(2, 2), size=2, least=1), work("z", 2), together(work("t")))
    nodes = [gpu_node(f"n{i}", 4) for i in range(2)]
    parts = (*nodes, leaf("a", "n0"), leaf("b", "n1"), gpu_queue("q", capability=5), *works)
    tags = {row.tag for row in built_of(prepared_of(snapshot_of(*parts))).model.rows}
    structural = {RuleId.NODE_PREDICATES, RuleId.QUEUE_OPEN, RuleId.UNSUPPORTED_WAITS}
    structural.add(RuleId.CARD_PACKING)  # nobody shares cards here
    structural |= {
        RuleId.POD_ANTI_AFFINITY,
        RuleId.HOST_PORTS,
        RuleId.POD_AFFINITY,
        RuleId.DOMAIN_RESOURCES,
    }  # no pod has rules about others
    structural.add(RuleId.TOPOLOGY_SPREAD)
    structural.add(RuleId.ADMISSION)  # nobody waits for admission here
    assert set(CONSTRAINTS) - structural <= tags


# node_capacity


def test_pods_within_the_room_of_a_node_fit() -> None:
    built = _built(work("x", 1, 5), gpus=5)
    must_be_feasible(built.model, starting(built, x=1))


def test_pods_beyond_the_room_of_a_node_do_not_fit() -> None:
    built = _built(work("x", 1, 5), work("y", 1, 4))
    must_be_infeasible(built.model, starting(built, x=1, y=1))


def test_one_gpu_more_lets_both_fit() -> None:
    built = _built(work("x", 1, 5), work("y", 1, 4), gpus=9)
    must_be_feasible(built.model, starting(built, x=1, y=1))


def test_cpu_and_the_number_of_pods_bind_as_gpus_do() -> None:
    for node in (gpu_node("n1", 8, cpu_milli=2000), gpu_node("n1", 8, pods=2)):
        parts = (node, gpu_queue("q"), work("x", 2, 1), work("y", 1, 1, priority=1))
        built = built_of(prepared_of(snapshot_of(*parts)))
        must_be_feasible(built.model, starting(built, x=1, y=0))
        must_be_infeasible(built.model, starting(built, x=1, y=1))


# pod_anti_affinity


def _apart(one: Work, app: str = "x") -> Work:
    term = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "x"),)))
    spec = replace(one.pods[0].spec, pod_anti_affinity=(term,))
    return replace(
        one, pods=tuple(replace(pod, spec=spec, labels={"app": app}) for pod in one.pods)
    )


def test_pods_kept_apart_need_a_node_each() -> None:
    must_be_feasible(_built(_apart(work("x", 2)), nodes=2).model, ())
    built = _built(_apart(work("x", 1, 2)), _apart(work("y", 1, 1)), nodes=1)
    must_be_infeasible(built.model, starting(built, x=1, y=1))
    built = _built(_apart(work("x", 1, 2)), _apart(work("y", 1, 1)), nodes=2)
    must_be_feasible(built.model, starting(built, x=1, y=1))


def test_pods_that_a_term_does_not_select_share_a_node_with_each_other_only() -> None:
    built = _built(_apart(work("x", 1, 2)), _apart(work("y", 1, 1), "z"))
    must_be_infeasible(built.model, starting(built, x=1, y=1))
    built = _built(_apart(work("w", 1, 2), "z"), _apart(work("y", 1, 1), "z"), _apart(work("x")))
    must_be_feasible(built.model, starting(built, w=1, y=1, x=0))


# host_ports


def test_pods_with_the_same_host_port_need_a_node_each() -> None:
    works = (_on_ssh(work("x", 1, 2)), _on_ssh(work("y", 1, 1)))
    must_be_feasible(_built(works[0]).model, ())
    built = _built(*works)
    must_be_infeasible(built.model, starting(built, x=1, y=1))
    built = _built(*works, nodes=2)
    must_be_feasible(built.model, starting(built, x=1, y=1))


def _on_ssh(one: Work) -> Work:
    spec = replace(one.pods[0].spec, host_ports=(HostPort(22),))
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


# domain_resources


def test_what_a_domain_shares_binds_on_all_its_nodes_together() -> None:
    built = built_of(_shared_problem(4))
    must_be_feasible(built.model, starting(built, x=1))
    assert not classes_of(_shared_problem(3))
    built = built_of(_shared_problem(3), classes_of(_shared_problem(4)))
    must_be_infeasible(built.model, starting(built, x=1))


def _shared_problem(left: int) -> Prepared:
    disk = {"per": "cluster", "capacity": left, "requests": [{"amount": 2}]}
    parts = (gpu_node("n1"), gpu_node("n2"), gpu_queue("q"), work("x", 2, 8))
    return prepared_of(snapshot_of(*parts), domain_resources={"disk": disk})


# topology_spread


def _spread(count: int, skew: int = 1) -> Prepared:
    one = work("x", count)
    rule = SpreadConstraint("zone", skew, LabelSelector((("app", "x"),)))
    spec = replace(one.pods[0].spec, spread=(rule,))
    pods = tuple(replace(pod, spec=spec, labels={"app": "x"}) for pod in one.pods)
    nodes = [
        replace(gpu_node(f"n{i}", gpus), labels={"zone": f"z{i}"})
        for i, gpus in enumerate((8, 8, 1))
    ]
    return prepared_of(snapshot_of(*nodes, gpu_queue("q"), replace(one, pods=pods)))


def test_pods_are_no_more_uneven_than_their_constraint_allows() -> None:
    built = built_of(_spread(5))
    must_be_feasible(built.model, starting(built, x=1))
    assert classes_of(_spread(5))
    assert not classes_of(_spread(6))
    assert classes_of(_spread(6, skew=2))


# node_predicates


def _tainted(*tolerations: Toleration) -> BuiltModel:
    closed = replace(gpu_node("n2"), taints=(Taint("team", "NoSchedule"),))
    one = work("x", 2, 8)
    pods = tuple(replace(p, spec=replace(p.spec, tolerations=tolerations)) for p in one.pods)
    snapshot = snapshot_of(gpu_node("n1"), closed, gpu_queue("q"), replace(one, pods=pods))
    prepared = prepared_of(snapshot)
    startable = classes_of(prepared)
    return built_of(prepared, startable)


def test_a_shape_has_variables_where_it_is_admitted() -> None:
    one = work("x", 1, 8)
    built = _built(one)
    assert list(built.form.variables.spots.at) == [(0, 0)]


def test_a_shape_has_no_variable_on_closed_nodes_and_a_forged_one_is_noticed() -> None:
    assert not _tainted().form.classes, "the gang needs both nodes"
    built = _tainted(Toleration("team", "Exists"))
    form = built.form
    problem = replace(form.problem, admits=~form.problem.admits)
    forged = Formulation(form.model, problem, form.classes, form.groups, form.variables)
    with pytest.raises(ArithmeticError, match="do not admit"):
        CONSTRAINTS[RuleId.NODE_PREDICATES](forged)


def test_a_toleration_opens_the_node() -> None:
    built = _tainted(Toleration("team", "Exists"))
    must_be_feasible(built.model, starting(built, x=1))


# pod_placeable


def test_the_pods_of_a_gang_are_those_on_the_nodes() -> None:
    built = _built(work("x", 3, 2, minimum=2))
    placed = built.form.variables.spots.at[0, 0].columns[0]
    must_be_feasible(built.model, {**starting(built, x=1), placed: 2})


def test_no_pod_is_placed_that_belongs_to_nobody() -> None:
    built = _built(work("x", 3, 2, minimum=2))
    placed = built.form.variables.spots.at[0, 0].columns[0]
    must_be_infeasible(built.model, {**pods_of(built, "x", {"": 2}), placed: 3})
    must_be_infeasible(built.model, {**pods_of(built, "x", {"": 3}), placed: 2})


def test_the_pods_of_a_gang_may_be_on_several_groups() -> None:
    snapshot = snapshot_of(gpu_node("n1", 2), gpu_node("n2", 4), gpu_queue("q"), work("x", 3, 2))
    built = built_of(prepared_of(snapshot))
    assert len(built.form.groups) == 2
    must_be_feasible(built.model, starting(built, x=1))


# pod_supply


def test_a_started_gang_receives_what_it_has() -> None:
    built = _built(work("x", 3, 1, minimum=2))
    must_be_feasible(built.model, {**starting(built, x=1), **pods_of(built, "x", {"": 3})})


def test_started_gangs_receive_no_pods_of_those_that_wait() -> None:
    built = _built(work("x", 3, 1, minimum=2), work("y", 3, 1, minimum=2))
    must_be_infeasible(built.model, {**starting(built, x=1), **pods_of(built, "x", {"": 4})})
    must_be_infeasible(built.model, {**starting(built, x=0), **pods_of(built, "x", {"": 1}, 0)})


def test_two_started_gangs_receive_as_much_as_both_have() -> None:
    built = _built(work("x", 3, 1, minimum=2), work("y", 3, 1, minimum=2))
    must_be_feasible(built.model, {**starting(built, x=2), **pods_of(built, "x", {"": 4}, 2)})


# gang_ready


def test_a_gang_starts_with_its_minimum() -> None:
    built = _built(work("x", 3, 1, minimum=2))
    must_be_feasible(built.model, {**starting(built, x=1), **pods_of(built, "x", {"": 2})})


def test_a_gang_does_not_start_with_one_pod_less() -> None:
    built = _built(work("x", 3, 1, minimum=2))
    must_be_infeasible(built.model, {**starting(built, x=1), **pods_of(built, "x", {"": 1})})


def test_a_gang_may_wait_with_no_pod() -> None:
    built = _built(work("x", 3, 1, minimum=2))
    must_be_feasible(built.model, {**starting(built, x=0), **pods_of(built, "x", {"": 0}, 0)})


# role_minimum


def test_a_gang_starts_with_the_minimum_of_every_role() -> None:
    built = _built(roles("x", 3, head=(1, 1, 1), worker=(3, 2, 2)))
    fixed = {**starting(built, x=1), **pods_of(built, "x", {"head": 1, "worker": 2})}
    must_be_feasible(built.model, fixed)


def test_workers_do_not_stand_in_for_the_head() -> None:
    built = _built(roles("x", 3, head=(1, 1, 1), worker=(3, 2, 2)))
    fixed = {**starting(built, x=1), **pods_of(built, "x", {"head": 0, "worker": 3})}
    must_be_infeasible(built.model, fixed)


def test_where_minima_do_not_bind_workers_do() -> None:
    built = _built(roles("x", 2, head=(1, 1, 1), worker=(3, 2, 2)))
    fixed = {**starting(built, x=1), **pods_of(built, "x", {"head": 0, "worker": 3})}
    must_be_feasible(built.model, fixed)


# subgroup_complete


def _ring_pods(built: BuiltModel, *counts: int) -> dict[int, int]:
    columns = [terms[0][0] for terms in built.form.variables.pods[class_of(built, "x")]]
    return {**starting(built, x=1), **dict(zip(columns, counts, strict=True))}


def test_a_gang_starts_with_one_complete_subgroup() -> None:
    built = _built(rings("x", sizes=(2, 2), size=2, least=1))
    must_be_feasible(built.model, _ring_pods(built, 2, 0))


def test_part_of_a_subgroup_is_not_placed() -> None:
    built = _built(rings("x", sizes=(2, 2), size=2, least=1))
    must_be_infeasible(built.model, _ring_pods(built, 2, 1))
    must_be_infeasible(built.model, _ring_pods(built, 1, 1))


def test_two_complete_subgroups_are_placed() -> None:
    built = _built(rings("x", sizes=(2, 2), size=2, least=2))
    must_be_feasible(built.model, _ring_pods(built, 2, 2))
    must_be_infeasible(built.model, _ring_pods(built, 2, 0))


# queue_limit


def test_a_gang_within_the_limit_starts() -> None:
    built = _built(work("x", 2, 2), limit=4)
    must_be_feasible(built.model, starting(built, x=1))


def test_gangs_beyond_the_limit_do_not_start_together() -> None:
    built = _built(work("x", 2, 2), work("y", 1, 1, priority=1), limit=4)
    must_be_infeasible(built.model, starting(built, x=1, y=1))


def test_a_dimension_that_is_not_asked_for_does_not_bind() -> None:
    built = _built(work("x", 2, 2), work("y", 1, 0, priority=1), limit=4)
    must_be_feasible(built.model, starting(built, x=1, y=1))


def test_the_limit_of_an_ancestor_binds_its_children_together() -> None:
    queues = (
        gpu_queue("p", capability=4),
        replace(gpu_queue("a"), parent="p"),
        replace(gpu_queue("b"), parent="p"),
    )
    works = (work("x", 1, 3, queue="a"), work("y", 1, 2, queue="b"))
    prepared = prepared_of(snapshot_of(gpu_node("n1"), *queues, *works), hierarchy=True)
    built = built_of(prepared)
    must_be_feasible(built.model, starting(built, x=1, y=0))
    must_be_infeasible(built.model, starting(built, x=1, y=1))


# queue_open


def _in_queue(state: str) -> BuiltModel:
    queue = replace(gpu_queue("q"), state=state)
    return built_of(prepared_of(snapshot_of(gpu_node("n1"), queue, work("x", 1))))


def test_a_gang_of_an_open_queue_has_a_class() -> None:
    built = _in_queue("Open")
    must_be_feasible(built.model, starting(built, x=1))


def test_a_gang_of_a_closed_queue_has_none_and_a_forged_one_is_noticed() -> None:
    assert not _in_queue("Closed").form.classes
    form = _in_queue("Open").form
    forged = replace(form.classes[0], example=replace(form.classes[0].example, queue=99))
    with pytest.raises(ArithmeticError, match="no queue"):
        CONSTRAINTS[RuleId.QUEUE_OPEN](
            Formulation(form.model, form.problem, (forged,), form.groups, form.variables)
        )


def test_a_closed_queue_does_not_close_its_neighbour() -> None:
    queues = (replace(gpu_queue("q"), state="Closed"), gpu_queue("p"))
    works = (work("x", 1), work("y", 1, queue="p"))
    built = built_of(prepared_of(snapshot_of(gpu_node("n1"), *queues, *works)))
    must_be_feasible(built.model, starting(built, y=1))
    assert len(built.form.classes) == 1


# unsupported_waits


def test_a_gang_whose_rules_are_modelled_has_a_class() -> None:
    built = _built(work("x", 1))
    must_be_feasible(built.model, starting(built, x=1))


def test_a_gang_with_another_rule_has_none_and_a_forged_one_is_noticed() -> None:
    one = work("x", 1)
    claimed = replace(one.pods[0].spec, special_rules=("resourceClaims",))
    assert not _built(replace(one, pods=(replace(one.pods[0], spec=claimed),))).form.classes
    form = _built(work("x", 1)).form
    example = replace(form.classes[0].example, items=(Item("", 99, 1),))
    forged = replace(form.classes[0], example=example)
    with pytest.raises(ArithmeticError, match="no shape"):
        CONSTRAINTS[RuleId.UNSUPPORTED_WAITS](
            Formulation(form.model, form.problem, (forged,), form.groups, form.variables)
        )


# hard_topology


def _leaves(*works: Work) -> BuiltModel:
    """Two leaves of two nodes with 8 GPUs each."""
    nodes = [gpu_node(f"{name}{i}") for name in "ab" for i in range(2)]
    leaves = (leaf("a", "a0", "a1"), leaf("b", "b0", "b1"))
    return built_of(prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *works)))


def test_a_gang_inside_one_leaf_is_feasible() -> None:
    built = _leaves(together(work("x", 2, 8)))
    must_be_feasible(built.model, starting(built, x=1))


def test_a_gang_larger_than_every_leaf_is_not_even_a_class() -> None:
    assert not _leaves(together(work("x", 3, 8))).form.classes


def test_two_gangs_that_share_a_leaf_are_infeasible() -> None:
    works = [together(work(name, 3, 4)) for name in "xyz"]
    built = _leaves(*works)
    must_be_infeasible(built.model, starting(built, x=1, y=1, z=1))
    must_be_feasible(built.model, starting(built, x=1, y=1))


def test_others_leave_the_leaf_that_a_bound_gang_needs() -> None:
    built = _leaves(together(work("x", 2, 8)), work("y", 2, 8))
    must_be_feasible(built.model, starting(built, x=1, y=1))
    wide = _leaves(together(work("x", 2, 8)), work("y", 3, 8))
    must_be_infeasible(wide.model, starting(wide, x=1, y=1))


def test_a_topology_that_binds_nothing_is_no_rule() -> None:
    for loose in (together(work("x", 4, 8), None), together(work("x", 4, 8), 1, "soft")):
        built = _leaves(loose)
        must_be_feasible(built.model, starting(built, x=1))
