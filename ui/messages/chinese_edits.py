"""Chinese: what edits of a scenario and answers to them say, and the sentences of a certificate."""

from __future__ import annotations

from collections.abc import Mapping

EDITS: Mapping[str, str] = {
    "add 1 node like {name}": "增加 1 个与 {name} 相同的节点",
    "add {count} nodes like {name}": "增加 {count} 个与 {name} 相同的节点",
    "add 1 node {name}": "增加 1 个节点 {name}",
    "add {count} nodes {name}": "增加 {count} 个节点 {name}",
    " with {what}": "，带有 {what}",
    " in {domain}": "，位于 {domain}",
    "remove nodes {nodes}": "移除节点 {nodes}",
    "drain {nodes}": "排空 {nodes}",
    "fail {nodes}": "{nodes} 故障",
    "uncordon {nodes}": "恢复调度 {nodes}",
    "repair {nodes}": "修复 {nodes}",
    "add 1 gang {name} to queue {queue}: {members} members of {each}": (
        "向队列 {queue} 添加 1 个任务组 {name}：{members} 个成员，每个 {each}"
    ),
    "add {count} gangs {name} to queue {queue}: {members} members of {each}": (
        "向队列 {queue} 添加 {count} 个任务组 {name}：{members} 个成员，每个 {each}"
    ),
    "remove gangs {gangs}": "移除任务组 {gangs}",
    "{factor} times gang {gangs}": "任务组 {gangs} 共 {factor} 份",
    "priority of gang {gangs} becomes {value}": "任务组 {gangs} 的优先级改为 {value}",
    "demand of queue {queue} × {factor}": "队列 {queue} 的需求 × {factor}",
    "demand of service {service} × {factor}": "服务 {service} 的需求 × {factor}",
    "gang {gangs}: {changes}": "任务组 {gangs}：{changes}",
    "as it is": "保持不变",
    "place gang {gangs} only on {nodes}": "任务组 {gangs} 只放在 {nodes}",
    "place gang {gangs} not on {nodes}": "任务组 {gangs} 不放在 {nodes}",
    "end 1 pod: {names}": "结束 1 个 Pod：{names}",
    "end {count} pods: {names}": "结束 {count} 个 Pod：{names}",
    "{names} and {count} more": "{names} 等另外 {count} 个",
    "every taint": "所有污点",
    "gang {gangs} tolerates {taints}": "任务组 {gangs} 容忍 {taints}",
    "drop the node affinity of gang {gangs}": "去掉任务组 {gangs} 的节点亲和性",
    "remove the scheduling gates of gang {gangs}": "移除任务组 {gangs} 的调度门控",
    "let gang {gangs} be evicted": "允许驱逐任务组 {gangs}",
    "policy {key} = {value}": "策略 {key} = {value}",
    "queue {queue}: {fields}": "队列 {queue}：{fields}",
    "new queue {queue}: {fields}": "新队列 {queue}：{fields}",
    "delete queue {queue}": "删除队列 {queue}",
    "delete queue {queue}, its gangs go to {other}": "删除队列 {queue}，其任务组转到 {other}",
    "PodDisruptionBudget {budget}: {allowed} disruptions allowed": (
        "PodDisruptionBudget {budget}：允许中断 {allowed} 个"
    ),
    "yes": "是",
    "no": "否",
    "none": "无",
    "not listed": "未列出",
    "Every start tier is closed (bound = value): no correct plan starts a waiting gang without giving up something "
    "that ranks before it.": (
        "所有启动层均已证明（上界 = 值）：任何正确的规划若要多启动一个等待中的任务组，都必须放弃排在它之前的内容。"
    ),
    "Not every start tier is closed: what holds is that no waiting gang fits beside the plan with its placements as "
    "they are.": "并非所有启动层都已证明：可以保证的是，在现有放置不变时，没有等待中的任务组还能放下。",
    "Not verified": "未经检查",
    "How does the plan change with one or two parameters? Name them with values.": (
        "规划如何随一两个参数变化？请给出参数及其取值。"
    ),
    "Most allocated at the {count} points planned: {gpus}, first at {point}.": (
        "已规划的 {count} 个点中最多已分配 {gpus}，首次出现在 {point}。"
    ),
    "What is one more node, or one more GPU of quota, worth? Each is planned.": (
        "多一个节点或多一块 GPU 配额值多少？逐一规划。"
    ),
    "One more of anything alone starts nothing; the table says why.": (
        "单独多任何一项都不会多启动；表中说明原因。"
    ),
    "Worth most: one {name} starts gangs of {gpus} more.": "价值最高：多一个 {name} 可多启动 {gpus} 的任务组。",
    "1 rule": "1 条规则",
    "{count} rules": "{count} 条规则",
    "Verified: 0 violations of {rules}": "检查通过：{rules}，0 处违反",
    "Failed verification: 1 violation of {rules}": "检查未通过：{rules}，1 处违反",
    "Failed verification: {count} violations of {rules}": "检查未通过：{rules}，{count} 处违反",
}
