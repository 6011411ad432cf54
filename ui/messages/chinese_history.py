"""Chinese of the page History and of past plans."""

from __future__ import annotations

from collections.abc import Mapping

HISTORY: Mapping[str, str] = {
    "A comparison takes two nights.": "比较需要两个夜间运行。",
    "A trend takes two nights.": "趋势需要两个夜间运行。",
    "Adopted": "已采纳",
    "All nights of the history with their key figures": "历史中所有夜间运行及关键数字",
    "As of {when}; run {outcome}, certificate {proof}; version {version}": (
        "截至 {when}；运行 {outcome}，证书 {proof}；版本 {version}"
    ),
    "Back to the cluster": "返回集群",
    "Change": "变化",
    "Choose two different nights.": "请选择两个不同的夜间运行。",
    "Deserved, earlier (GPUs)": "应得，较早（GPU）",
    "Deserved, later (GPUs)": "应得，较晚（GPU）",
    "Earlier night": "较早的夜间",
    "Evictions adopted": "已采纳的驱逐",
    "Figure": "指标",
    "GPUs adopted": "已采纳的 GPU",
    "GPUs borrowed": "借入的 GPU",
    "GPUs deserved": "应得的 GPU",
    "GPUs allocated": "已分配的 GPU",
    "GPUs lent": "借出的 GPU",
    "GPUs requested": "请求的 GPU",
    "GPUs, earlier": "GPU，较早",
    "GPUs, later": "GPU，较晚",
    "Gangs that changed between the nights, or wait in both": "两次之间变化或都在等待的任务组",
    "Gangs that start later": "稍后启动的任务组",
    "Gangs waiting a day or more": "等待一天以上的任务组",
    "History": "历史",
    "Hours": "小时",
    "Key figures of the nights over time": "夜间运行关键数字随时间的变化",
    "Last night {night}, as of {when}; history {name}": "最近一次 {night}，截至 {when}；历史 {name}",
    "Late (h)": "推迟（小时）",
    "Later night": "较晚的夜间",
    "Longest wait": "最长等待",
    "Longest wait (h)": "最长等待（小时）",
    "Manifests": "清单文件",
    "Next night": "下一夜",
    "Nights": "夜间运行",
    "No gang changed.": "没有任务组变化。",
    "No later night kept its snapshot yet, so nothing can be compared.": (
        "之后还没有夜间运行保存快照，无法比较。"
    ),
    "One night": "单次夜间",
    "One of the nights left no plan.": "其中一次没有规划。",
    "Open this plan on the page Plan": "在规划页打开此规划",
    "Planned against actual": "计划与实际",
    "Planned start": "计划启动",
    "Pods as planned": "按计划的 Pod",
    "Pods evicted": "驱逐的 Pod",
    "Queues in both nights": "两次的队列",
    "Queues of the night, in GPUs": "该夜的队列（GPU）",
    "Recommended": "建议",
    "Run": "运行",
    "Start it with `gangplan ui --history URL`, the database that `gangplan nightly` keeps. A browser cannot name "
    "one.": (
        "用 `gangplan ui --history URL` 启动，即 `gangplan nightly` 保存的数据库。浏览器不能指定。"
    ),
    "Started": "实际启动",
    "Started unplanned (gangs)": "计划外启动（任务组）",
    "Starting in that night: {gangs}, {pods} placed.": "该夜启动：{gangs}，放置 {pods}。",
    "Starts adopted (gangs)": "已采纳的启动（任务组）",
    "The history holds no night yet; `gangplan nightly` adds one per run.": (
        "历史中还没有夜间运行；`gangplan nightly` 每次运行会添加一次。"
    ),
    "The last run left no plan: {error}": "最近一次没有规划：{error}",
    "The night left no plan.": "该夜没有规划。",
    "The page Plan shows the plan of this night now.": "规划页现在显示该夜的规划。",
    "The plan of this night recommended nothing.": "该夜的规划没有建议。",
    "This is the plan of the night {night}, from the history.": "这是历史中 {night} 夜的规划。",
    "This server was started without a history.": "本服务器启动时没有指定历史。",
    "Trend": "趋势",
    "Two nights": "两次夜间",
    "Waiting, earlier (gangs)": "等待，较早（任务组）",
    "Waiting, later (gangs)": "等待，较晚（任务组）",
    "What became of it": "结果",
    "Work (GPU-hours)": "工作量（GPU 小时）",
    "each left a plan.": "每次都有规划。",
    "in the last one {after} of {most} would be allocated ({share});": (
        "最近一次 {most}中将有 {after} 块已分配（{share}）；"
    ),
    "of {count} that were due": "到期的 {count} 个中",
    "{change} overnight": "较前一夜 {change}",
    "{count} left no plan.": "{count} 次没有规划。",
    "{count} nights from {first} to {last};": "从 {first} 到 {last} 共 {count} 次；",
    "{count} with a plan": "{count} 次有规划",
}
