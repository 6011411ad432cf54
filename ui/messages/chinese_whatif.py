"""Chinese words of scenarios, sweeps and marginal values."""

from __future__ import annotations

from collections.abc import Mapping

_SENTENCES = {
    "What-if": "假设分析",
    "What changes if? Write a scenario, and it is planned beside the cluster.": (
        "如果改变会怎样？写一个方案，它会与集群现状并排规划。"
    ),
    "Not compared yet: {count}.": "尚未比较：{count}。",
    "{count} scenario": "{count} 个方案",
    "{count} scenarios": "{count} 个方案",
    "{name} has no plan: {error}": "{name} 没有规划：{error}",
    "{name}, copy": "{name}，副本",
    "{name}: {judgement}; {started} start ({started_change}), {gpus} allocated ({gpus_change}).": (
        "{name}：{judgement}；{started}启动（{started_change}），{gpus}已分配（{gpus_change}）。"
    ),
    "{total}: {counts}; most GPUs allocated: {name} ({gpus}, {change}).": (
        "{total}：{counts}；已分配 GPU 最多的是 {name}（{gpus}，{change}）。"
    ),
    "No scenario has a plan; the table says why.": "没有一个方案得到规划；原因见表。",
    "≈ means undecided: the open gaps of the two plans may still turn the difference round.": (
        "≈ 表示未定：两个规划尚未证明的差距仍可能使差异反转。"
    ),
}

_STATES = {
    "No scenario yet. Add an edit on the right, or load a scenario file.": (
        "还没有方案。在右侧添加一项修改，或载入方案文件。"
    ),
    "No edit yet: this scenario is the base as it is.": "还没有修改：此方案就是现状。",
    "The scenarios or inputs have changed since this comparison: it is kept, but stale.": (
        "此次比较之后方案或输入有变化：结果保留，但已过期。"
    ),
    "A first answer, verified: the search goes on, plans and what is open (≈) may still change.": (
        "这是第一个结果，已通过校验；搜索仍在继续，方案和尚未确定的差异（≈）可能还会变化。"
    ),
    "Stopped after {time}; what was planned until then is shown, verified.": (
        "{time}后停止；显示的是到那时为止的规划，已验证。"
    ),
    "This server only shows: save the scenarios and compare them on the command line.": (
        "此服务器只供查看：请保存方案，在命令行中比较。"
    ),
    "These scenarios are too long for a link; share their files.": "这些方案太长，不能放进链接；请分享文件。",
    "The link at the foot of the page holds these scenarios with the names of nodes, queues and gangs that they "
    "mention, nothing else of the cluster.": (
        "页脚的链接包含这些方案以及其中提到的节点、队列和任务组的名称，不含集群的其他内容。"
    ),
    "The same on the command line:": "命令行中的同样操作：",
    "Nothing was compared.": "没有比较任何内容。",
    "No scenario has a plan.": "没有一个方案得到规划。",
    "No finding appears or vanishes.": "没有新增或消失的发现。",
    "Every gang fares as in the base.": "每个任务组都与现状相同。",
    "Every queue is as in the base.": "每个队列都与现状相同。",
    "planning one more of each": "逐一规划增加一个单位",
    "planning the points of the grid": "规划网格中的各点",
    "in any scenario": "任一方案中",
}

_CONTROLS = {
    "Add an edit": "添加修改",
    "Add this edit": "添加这项修改",
    "Compare": "比较",
    "Copy it": "复制",
    "Down": "下移",
    "Edits, applied from top to bottom": "修改，从上到下依次生效",
    "Load": "载入",
    "Load a scenario file": "载入方案文件",
    "New scenario": "新方案",
    "Remove": "移除",
    "Remove it": "移除方案",
    "Save and share": "保存与分享",
    "Scenario files (YAML), up to 1 MB each": "方案文件（YAML），每个不超过 1 MB",
    "Scenario {letter}": "方案 {letter}",
    "Scenarios": "方案",
    "Side by side": "并排比较",
    "Take the comparison away": "导出比较结果",
    "The first {count} names are suggested; type any other.": "只提示前 {count} 个名称；其他名称请直接输入。",
    "Type or choose": "输入或选择",
    "A name, or a pattern such as a-*": "名称，或 a-* 这样的模式",
    "Up": "上移",
    "What changes": "改变什么",
}

_FORMS = {
    "Add gangs": "添加任务组",
    "Add nodes": "添加节点",
    "CPUs per pod": "每个 Pod 的 CPU",
    "Capability (GPUs)": "上限（GPU）",
    "Change a gang's minimum": "修改任务组的最小成员数",
    "Change a gang's priority": "修改任务组的优先级",
    "Change a queue": "修改队列",
    "Change the policy": "修改策略",
    "Delete a queue": "删除队列",
    "Deserved (GPUs)": "应得（GPU）",
    "Drain nodes": "排空节点",
    "Factor, such as 1.5 or 80%": "倍数，如 1.5 或 80%",
    "Field": "字段",
    "GPUs per pod": "每个 Pod 的 GPU",
    "How many": "数量",
    "How many gangs": "任务组数量",
    "Its gangs go to": "其任务组转到",
    "Like these nodes": "与这些节点相同",
    "Members of each (pods)": "每组成员（Pod）",
    "Memory per pod": "每个 Pod 的内存",
    "Minimum (pods), or a change such as -2": "最小成员数（Pod），或 -2 这样的增减",
    "Move a gang to a queue": "把任务组移到队列",
    "Multiply a gang": "任务组翻倍",
    "New queue": "新队列",
    "New value, or a change such as +8": "新值，或 +8 这样的增减",
    "Nodes fail": "节点故障",
    "Open closed nodes": "重新开放节点",
    "Place a gang not on nodes": "任务组不放在某些节点",
    "Place a gang only on nodes": "任务组只放在某些节点",
    "Remove gangs": "移除任务组",
    "Remove nodes": "移除节点",
    "Repair nodes": "修复节点",
    "Scale a queue's waiting gangs": "缩放队列中等待的任务组",
    "Times in all": "总共几份",
    "Value (YAML)": "值（YAML）",
    "capability CPUs": "上限 CPU",
    "capability GPUs": "上限 GPU",
    "deserved CPUs": "应得 CPU",
    "deserved GPUs": "应得 GPU",
    "guarantee GPUs": "保证 GPU",
    "parent": "父队列",
    "priority": "优先级",
    "reclaimable": "可回收",
    "state": "状态",
    "weight": "权重",
}

_WORDS = {
    "better": "更好",
    "worse": "更差",
    "same": "相同",
    "undecided": "未定",
    "delayed": "推迟",
    "evicted": "被驱逐",
    "new, starts": "新增，启动",
    "new, waits": "新增，等待",
    "removed": "已移除",
    "spared": "免于驱逐",
    "starts": "启动",
    "starts anew": "在别处重新启动",
    "stopped": "停止",
}

_TABLES = {
    "Base": "现状",
    "Base and scenarios with their key figures": "现状和各方案的关键数字",
    "Base: allocated (GPUs)": "现状：已分配（GPU）",
    "Base: start (gangs)": "现状：启动（任务组）",
    "Base: wait (gangs)": "现状：等待（任务组）",
    "Bound, base": "界，现状",
    "Change": "变化",
    "Curve of a sweep": "扫描曲线",
    "Differs in": "不同之处",
    "Error": "错误",
    "Differ (gangs)": "情况不同（任务组）",
    "Figure": "数字",
    "Findings that appear or vanish, by scenario": "各方案新增或消失的发现",
    "GPUs allocated": "已分配 GPU",
    "GPUs allocated of base and scenarios, of all allocatable ones": "现状和各方案的已分配 GPU 与全部可分配 GPU",
    "GPUs allocated of queues by plan": "各规划中队列的已分配 GPU",
    "GPUs that start more": "多启动的 GPU",
    "GPUs that start more with one more of each": "各增加一个单位时多启动的 GPU",
    "GPUs, base": "GPU，现状",
    "GPUs, change": "GPU 变化",
    "Gangs evicted": "被驱逐的任务组",
    "Gangs that fare differently, by scenario": "各方案中情况不同的任务组",
    "Gangs that start more": "多启动的任务组",
    "Gangs waiting, base": "等待的任务组，现状",
    "Gangs, change": "任务组变化",
    "Gap (GPUs)": "差距（GPU）",
    "Heat map of a sweep": "扫描热图",
    "Key figures": "关键数字",
    "Key figures of base and scenarios side by side": "现状和各方案的关键数字并排",
    "Most allocated (GPUs)": "最多已分配（GPU）",
    "Most start (gangs)": "最多启动（任务组）",
    "One more": "增加一个",
    "Open gap (GPUs)": "未证明的差距（GPU）",
    "Queues that change, by scenario": "各方案中变化的队列",
    "Relaxed (GPUs each)": "松弛估计（每单位 GPU）",
    "Scenario": "方案",
    "Tiers and gaps": "目标层与差距",
    "Value and bound of every tier in base and scenarios": "现状和各方案中每层的值与界",
    "Value, base": "值，现状",
    "Verdict": "结论",
    "What happens": "结果",
    "What it means": "含义",
    "Why": "原因",
}

_FIXES = {
    "Apply as scenario": "作为方案应用",
    "Confirm by planning": "通过规划确认",
    "Confirmed: the gang starts after this change.": "已确认：改变之后该任务组会启动。",
    "Looking for changes …": "正在寻找可行的改变……",
    "No change is known that would start this gang.": "没有已知的改变能让该任务组启动。",
    "Not confirmed by planning yet.": "尚未通过规划确认。",
    "Planned: not this one, or a smaller one does it.": "已规划：此改变不行，或更小的改变即可。",
    "What would start it": "怎样才能启动",
    "{gangs} more start.": "另有{gangs}启动。",
    "{gangs} no longer start.": "{gangs}不再启动。",
    "{gang} starts after this change.": "改变之后 {gang} 会启动。",
    "{gang} still waits after this change.": "改变之后 {gang} 仍在等待。",
    "{tried} of {all} changes were planned before time was up or it was stopped.": (
        "在时间用完或停止之前，{all} 项改变中规划了 {tried} 项。"
    ),
    "Pin or forbid a placement: nodes": "固定或禁止放置：节点",
    "Only on these nodes, solve again": "只放这些节点，重新求解",
    "Not on these nodes, solve again": "不放这些节点，重新求解",
    "Placements": "放置",
    "Change queues": "修改队列",
    "Edit weights and amounts in place; nothing of the cluster changes, the edits make a scenario.": (
        "直接修改权重和数量；集群不变，修改会成为一个方案。"
    ),
    "Queues changed": "队列修改",
    "Start {gang}": "启动 {gang}",
    "Undo the edits": "撤销修改",
    "Guarantee (GPUs)": "保证（GPU）",
    "Reclaimable": "可回收",
}

_SWEEPS = {
    "Question": "问题",
    "Scenarios side by side": "方案并排比较",
    "Sweep": "扫描",
    "What one more is worth": "多一个值多少",
    "Every point of the grid is planned on top of {name}. Values: [1, 2, 4], 0..6, 0..60 step 10, [80%, 120%].": (
        "网格的每一点都在 {name} 之上规划。取值：[1, 2, 4]、0..6、0..60 step 10、[80%, 120%]。"
    ),
    "the base": "现状",
    "Parameter {number}": "参数 {number}",
    "Values": "取值",
    "queue/NAME.FIELD, add/NODES, scale/QUEUE, multiply/GANG, policy.KEY …": (
        "queue/名称.字段、add/节点、scale/队列、multiply/任务组、policy.键……"
    ),
    "Points to plan: {points}": "要规划的点：{points}",
    "Plan the grid": "规划网格",
    "No point was planned.": "没有规划任何点。",
    "Points of the sweep with their key figures": "扫描各点的关键数字",
    "Take the sweep away": "导出扫描结果",
    "Take the values away": "导出数值",
    "Price one more of each": "逐一估价",
    "Plans the cluster with one more node of each kind and one more GPU of quota of each queue in which gangs "
    "wait, and tells what each would start.": (
        "分别增加每类节点一个、每个有等待任务组的队列配额一块 GPU 进行规划，说明各能多启动什么。"
    ),
    "What one more of each is worth": "各增加一个的价值",
    "There is nothing to add: no node and no queue in which gangs wait.": (
        "没有可增加的：没有节点，也没有任务组在等待的队列。"
    ),
}

_OVER_TIME = {
    "Compare what": "比较对象",
    "Plans for now": "当前规划",
    "Schedules": "排程",
    "Schedules over {hours} hours; demand: {demand}. Horizon, steps and demand are those of the page Night.": (
        "{hours} 小时的排程；需求：{demand}。时间范围、步长和需求取自“夜间”页。"
    ),
    "profile of the policy, else the pods of now": "策略中的曲线，否则为当前 Pod",
    "Over time": "随时间",
    "Start times": "开始时间",
    "Work, starts and loans over the horizon, by scenario": "各方案在时间范围内的工作量、启动数和借用量",
    "Gangs that start at another time, by scenario": "各方案中开始时间不同的任务组",
    "Every gang starts when it does in the base.": "每个任务组的开始时间都与现状相同。",
    "Start, base": "开始（现状）",
    "At most (GPU-hours)": "上限（GPU 小时）",
    "Waits more, in sum (h)": "等待增加合计 (h)",
    "Later (h)": "推迟 (h)",
    "Start (gangs)": "启动（任务组）",
    "Start, change (gangs)": "启动变化（任务组）",
    "Work, change (GPU-hours)": "工作量变化（GPU 小时）",
    "Scale the demand of a service": "缩放服务的需求",
    "Online service": "在线服务",
}

WHAT_IF: Mapping[str, str] = {
    **_OVER_TIME,
    **_FIXES,
    **_SWEEPS,
    **_SENTENCES,
    **_STATES,
    **_CONTROLS,
    **_FORMS,
    **_WORDS,
    **_TABLES,
}
