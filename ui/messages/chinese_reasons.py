"""Chinese words for reason codes and for what helps; the messages with numbers stay in English."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "the queue is missing, not open, or not a leaf": "队列不存在、未开放或不是叶子队列",
    "a queue limit leaves too little now": "队列限制现在剩余太少",
    "asks for more than the queue's limits can ever give": "请求超过队列限制所能给出的最大量",
    "has not passed admission or a scheduling gate": "未通过准入或调度门控",
    "free or raise what admission gives away, or remove the gates once the gangs may run": (
        "释放或提高准入的额度，或在允许运行时移除调度门控"
    ),
    "fewer pods exist or are promised than the minimum needs": "现有或承诺的 Pod 少于最小需要",
    "the free sum of a resource is too small": "某种资源的空闲总量太小",
    "free sums would do, but no packing on the nodes fits": "总量足够，但在节点上装不下",
    "does not fit even with every node empty": "即使所有节点都空也放不下",
    "no topology domain has enough room now": "现在没有拓扑域有足够空间",
    "no topology domain is large enough even when empty": "即使为空也没有足够大的拓扑域",
    "selectors, affinity, taints or node groups leave too few nodes": (
        "选择器、亲和性、污点或节点组使可用节点太少"
    ),
    "the room is held back for another queue's guarantee": "空间为其他队列的保障而保留",
    "only evictions that are not allowed would make room": "只有不被允许的驱逐才能腾出空间",
    "fair sharing forbids the evictions it needs": "公平共享禁止所需的驱逐",
    "a revocable zone is closed now": "可回收区域现在关闭",
    "newly started gangs, which go first or were chosen, take the room": "优先或被选中的新启动任务占用了空间",
    "the head of its strict queue waits before it": "严格队列的队首在它之前等待",
    "starts later in the schedule": "按计划稍后启动",
    "cannot end by its deadline": "无法在截止时间前结束",
    "waits for another gang or role": "等待另一任务组或角色",
    "has a required rule that is not modelled; nothing is placed against it": (
        "带有未建模的强制规则；绝不违反该规则放置"
    ),
    "open the queue, or move the gangs to an open leaf queue": "开放队列，或把任务组移到开放的叶子队列",
    "decide whether the limit of the queue should rise": "决定是否提高队列限制",
    "raise the queue's capability, or make the gangs smaller": "提高队列上限，或缩小任务组",
    "remove the gates once the gangs may run": "任务组可以运行时移除门控",
    "have the controllers create the missing pods, or lower minMember": (
        "让控制器创建缺少的 Pod，或降低 minMember"
    ),
    "add capacity, or wait until running work ends": "增加容量，或等待运行中的任务结束",
    "free whole nodes: let small gangs that are spread over many nodes end or move": (
        "腾出整机：让分散在多个节点上的小任务组结束或迁移"
    ),
    "change the pods' requests, or add nodes that are large enough": "更改 Pod 的请求，或增加足够大的节点",
    "relax the topology rule, or add a larger domain": "放宽拓扑规则，或增加更大的域",
    "widen the selectors and tolerations, or label and untaint more nodes": (
        "放宽选择器和容忍，或为更多节点打标签、去污点"
    ),
    "move the deadline, or start the gang by hand in place of others": (
        "推迟截止时间，或手动让该任务组取代其他任务组启动"
    ),
    "decide whether the guarantee is still needed": "决定是否仍需要该保障",
    "wait for the protected pods, mark them preemptable, or change what protects them": (
        "等待受保护的 Pod 结束，将其标记为可抢占，或更改保护它们的规则"
    ),
    "check by hand where these gangs may run": "人工检查这些任务组可以在哪里运行",
}
