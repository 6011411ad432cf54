"""Chinese of topology and fragments on the page Inventory."""

from __future__ import annotations

from collections.abc import Mapping

TOPOLOGY: Mapping[str, str] = {
    "Domains with their GPUs by state": "各域及其各状态 GPU",
    "Fragments": "碎片",
    "Free GPUs by pool, on whole nodes and in fragments": "各池空闲 GPU：整节点与碎片",
    "Most on one node (GPUs)": "单节点最多空闲（GPU）",
    "No node lies in a domain here.": "这里没有节点属于任何域。",
    "No node with GPUs takes pods.": "没有带 GPU 的节点接收 Pod。",
    "Whole nodes free": "整体空闲的节点",
    "Nodes with fragments": "有碎片的节点",
    "One frame is one domain, one group is one node, one square is one GPU.": (
        "一组标题为一个域，一组方块为一个节点，一个方块为一块 GPU。"
    ),
    "1-GPU pods": "可放 1 GPU Pod",
    "2-GPU pods": "可放 2 GPU Pod",
    "4-GPU pods": "可放 4 GPU Pod",
    "8-GPU pods": "可放 8 GPU Pod",
    "The last columns count the pods of a size that fit by their GPUs; CPUs, memory and limits of queues may "
    "leave less room.": (
        "最后几列是按 GPU 计可放下的各规格 Pod 数；CPU、内存与队列上限可能使空位更少。"
    ),
    "Show the domains inside": "显示其中的域",
    "Topology": "拓扑",
    "outside all domains": "不在任何域",
    "the whole cluster": "整个集群",
    "{nodes} are too many to draw one by one (at most {most}); choose a domain above to see its GPUs.": (
        "{nodes}太多，无法逐个绘制（最多 {most} 个）；请在上面选择一个域查看其 GPU。"
    ),
}
