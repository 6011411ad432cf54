"""Chinese of the page Drill."""

from __future__ import annotations

from collections.abc import Mapping

DRILL: Mapping[str, str] = {
    "A drill tells who would leave if a service called its GPUs back now, when the last of them is free, what that "
    "costs, and what would help if it is not in time. Nothing is evicted.": (
        "演练说明：如果服务现在召回 GPU，谁会离开、最后一块何时空出、代价多大，"
        "以及来不及时怎样做有帮助。不会驱逐任何 Pod。"
    ),
    "A person evicts: shares and guarantees of queues are set aside": "人工驱逐：不考虑队列的份额与保障",
    "A service of the policy, or a queue.": "策略中的服务，或一个队列。",
    "All on one node; 0 takes those of the service's pods, else 1.": (
        "全部在同一节点；0 表示取该服务 Pod 的数量，否则为 1。"
    ),
    "As on the command line: NAME=GPUS, then per-pod, kind, pool, node.": (
        "与命令行相同：NAME=GPUS，然后是 per-pod、kind、pool、node。"
    ),
    "Changes that bring more back in time": "能让更多 GPU 按时归还的改动",
    "Each change was drilled again on the edited cluster and verified. Tried: {tried}; not tried: {left}.": (
        "每项改动都在修改后的集群上重新演练并验证。已尝试：{tried}；未尝试：{left}。"
    ),
    "Everything is back in time; nothing has to change.": "全部按时归还，无需改动。",
    "First free after (s)": "最早空出（秒）",
    "For": "为",
    "Free after (s)": "空出用时（秒）",
    "Free now (GPUs)": "现在空闲（GPU）",
    "Further needs, one a line": "更多需求，每行一个",
    "GPUs back against seconds": "GPU 归还与秒数",
    "GPUs of one pod": "每个 Pod 的 GPU",
    "GPUs that are not back, by cause": "未归还的 GPU，按原因",
    "GPUs, beyond those it has": "GPU（在已有之外）",
    "Gangs that lose pods": "失去 Pod 的任务组",
    "In time: {who} has {wanted} back after {last} s of {deadline} s; {pods} leave.": (
        "按时：{who} 在 {deadline} 秒期限内的第 {last} 秒收回 {wanted}；{pods}离开。"
    ),
    "In time: {who} has {wanted} free at once; nobody leaves.": (
        "按时：{who} 立即有 {wanted} 空闲；无人离开。"
    ),
    "Last free after (s)": "最晚空出（秒）",
    "Last one back": "最后一块归还",
    "Leave (pods)": "离开（Pod）",
    "Lost work (GPU-hours)": "损失的工作（GPU 小时）",
    "More": "更多",
    "More in time (GPUs)": "按时多出（GPU）",
    "Nobody has to leave.": "无人需要离开。",
    "Nobody leaves: it would help nothing.": "无人离开：离开也没有帮助。",
    "Nodes with room, and from when on": "有空位的节点及其时间",
    "None of the changes that were tried brings more back in time.": (
        "尝试过的改动都不能让更多 GPU 按时归还。"
    ),
    "Not in time: {some} of {wanted} can be back for {who} within {deadline} s, {back} in the end.": (
        "来不及：{deadline} 秒内 {who} 所需的 {wanted}中只有 {some} 块可归还，最终 {back} 块。"
    ),
    "Nothing.": "无。",
    "Order": "次序",
    "Pods in the order of leaving": "按离开次序的 Pod",
    "Pods that stay": "留下的 Pod",
    "Seconds after the call.": "召回后的秒数。",
    "Then in time (GPUs)": "改后按时（GPU）",
    "There is no drill yet: say who needs how many GPUs, and within how many seconds.": (
        "还没有演练：请说明谁在多少秒内需要多少 GPU。"
    ),
    "This cluster has no service and no queue that could ask for GPUs back.": (
        "该集群没有可要回 GPU 的服务或队列。"
    ),
    "This server is read-only; it starts no drills.": "本服务器只读，不启动演练。",
    "Tiers with value, bound and gap": "各目标层的值、界和差距",
    "What holds GPUs, one by one": "逐个列出占用 GPU 的对象",
    "What holds the rest": "其余被什么占用",
    "What would help": "怎样有帮助",
    "Where the room is": "空位在哪里",
    "Who leaves": "谁离开",
    "Who needs GPUs": "谁需要 GPU",
    "Within (s)": "期限（秒）",
    "all {count} asked for": "所需的全部 {count} 块",
    "any": "任意",
    "at most {count}": "最多 {count}",
    "never": "永不",
    "of {count} gang": "属于 {count} 个任务组",
    "of {count} gangs": "属于 {count} 个任务组",
}
