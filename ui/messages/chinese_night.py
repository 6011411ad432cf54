"""Chinese of the pages Night and Drill and their charts."""

from __future__ import annotations

from collections.abc import Mapping

_SENTENCES = {
    "A result of snapshot {digest} is kept; the cluster chosen now has none yet.": (
        "快照 {digest} 的结果已保留；现在所选的集群还没有结果。"
    ),
    "A schedule tells when every gang that waits starts within the horizon, which GPUs of online services are lent "
    "until when, and proves that they are back before their services need them.": (
        "排程说明每个等待的任务组在时间范围内何时启动、在线服务的哪些 GPU 借出到何时，并证明它们在服务需要之前归还。"
    ),
    "Bucket by bucket: what a surge may ask back, after how many seconds it is there, and who would leave. Deadline "
    "{deadline} s, overhead {overhead} s.": (
        "逐个时间段：突增可能要回多少、多少秒后到位、谁会离开。期限 {deadline} 秒，额外开销 {overhead} 秒。"
    ),
    "CSV or Parquet with columns time, service, gpus, or time and one column per service.": (
        "CSV 或 Parquet，列为 time、service、gpus，或 time 加每个服务一列。"
    ),
    "Drawn are the first {count} of {total} gangs; the table holds all.": (
        "图中为 {total} 个任务组中的前 {count} 个；表格包含全部。"
    ),
    "Every gang that waits starts within the horizon.": "所有等待的任务组都在时间范围内启动。",
    "No gang starts within the horizon.": "时间范围内没有任务组启动。",
    "No gang's grace period stands in the way of a loan.": "没有任务组的宽限期妨碍借出。",
    "No online service with GPUs is known, so nothing is lent. Name services in the policy, or give their demand.": (
        "没有已知的使用 GPU 的在线服务，因此没有借出。请在策略中写明服务，或提供其需求。"
    ),
    "Nothing is lent.": "没有借出。",
    "Nothing was found within the limit. Raise the time limit and try again.": (
        "在时限内没有找到结果。请提高时限后重试。"
    ),
    "Seconds within which lent GPUs must be back when demand exceeds the forecast; pods with longer grace periods "
    "may have fewer of them.": (
        "需求超出预测时借出的 GPU 须在多少秒内归还；宽限期更长的 Pod 能用的更少。"
    ),
    "Shaded: the pool may lend GPUs of online services. Numbers are GPUs. Times are those of {zone}.": (
        "阴影：该池可借出在线服务的 GPU。数字为 GPU 数。时间为 {zone} 时间。"
    ),
    "Shown is the result of snapshot {digest}, not of the one chosen now.": (
        "显示的是快照 {digest} 的结果，不是现在所选快照的。"
    ),
    "Stopped after {time}, because the page was closed: this is the best found until then.": (
        "因页面关闭，{time} 后停止：这是到那时找到的最好结果。"
    ),
    "Stopped after {time}: this is the best found until then, verified.": (
        "{time} 后停止：这是到那时找到的最好结果，已验证。"
    ),
    "The inputs have changed since this was made: it is kept, but stale.": (
        "此后输入已改变：结果保留，但已过期。"
    ),
    "The result failed the independent check and is withheld. Please report it with the bundle.": (
        "结果未通过独立检查，不予显示。请附上诊断包报告。"
    ),
    "The search runs; its progress is in the side bar. You may go on reading.": (
        "搜索正在运行；进度见侧栏。可继续阅读。"
    ),
    "There is no schedule yet: nothing has been asked of the planner.": "还没有排程：尚未请求规划器。",
    "no GPUs are lent.": "没有借出 GPU。",
    "online services lend up to {most} for {hours}, all back by {when} ({zone}).": (
        "在线服务最多借出 {most}，共 {hours}，全部在 {when}（{zone}）前归还。"
    ),
    "{started} of {waited} start within {hours} hours, {now} of them now;": (
        "{waited}中有 {started} 个在 {hours} 小时内启动，其中 {now} 个现在启动；"
    ),
    "{count} GPUs not back in time": "{count} 块 GPU 未按时归还",
}

_WORDS = {
    "Command that repeats it": "重现结果的命令",
    "Returns within (s)": "归还期限（秒）",
    "Demand and loans of {pool}": "{pool} 的需求与借出",
    "Demand files; up to {limit} MB together": "需求文件；合计不超过 {limit} MB",
    "Demand of online services": "在线服务的需求",
    "Do not start (gangs)": "不启动（任务组）",
    "Drill": "演练",
    "Findings about the demand": "关于需求的发现",
    "GPUs over time": "GPU 随时间的使用",
    "Gangs that do not start within the horizon, with reasons": "时间范围内不启动的任务组及原因",
    "Gangs that start within the horizon, with their times": "时间范围内启动的任务组及其时间",
    "Horizon": "时间范围",
    "Leave it": "不再显示",
    "Lendable GPUs by deadline and grace period": "按期限与宽限期可借出的 GPU",
    "Lent (GPU-hours)": "借出（GPU 小时）",
    "Loans": "借出",
    "Loans and their return": "借出与归还",
    "Loans with their times and slack": "各次借出的时间与余量",
    "Make it again": "重新计算",
    "Night": "夜间",
    "Proof": "证明",
    "Read the demand": "读取需求",
    "Read: {name}": "已读取：{name}",
    "Return proof": "归还证明",
    "Return proof by pool and bucket": "各池各时间段的归还证明",
    "Running gangs that leave before their end": "提前离开的运行中任务组",
    "Schedule": "排程",
    "Show it": "显示它",
    "Start later (gangs)": "稍后启动（任务组）",
    "Steps": "时间步长",
    "Tiers of the schedule with value, bound and gap": "排程各目标层的值、界和差距",
    "Upload demand": "上传需求",
    "What does not start": "不启动的",
    "What starts when": "何时启动",
    "Whose shorter grace period buys most": "缩短谁的宽限期收益最大",
    "all back in time": "全部按时归还",
    "demand files of this server": "本服务器的需求文件",
    "demand of the sample": "样例的需求",
    "fine near, coarse far": "近细远粗",
    "of the work tiers": "工作量目标层",
    "placed on nodes": "已放置到节点",
    "profile of the policy, else the pods of now": "策略中的曲线，否则按现有 Pod",
    "uploaded demand": "上传的需求",
    "{count} hours": "{count} 小时",
    "{count} min": "{count} 分钟",
}

_CHARTS = {
    "From, to": "起止",
    "GPUs back against seconds: this drill, and the most that is possible": (
        "GPU 归还数随秒数变化：本次演练与可能的最多"
    ),
    "GPUs over time: running and scheduled gangs under what batch work may hold": (
        "GPU 随时间：运行中和已排程的任务组，以及批处理可用的上限"
    ),
    "May be lent (GPUs)": "可借出（GPU）",
    "Online demand of the pool over time, and what is lent of the rest": (
        "该池在线需求随时间的变化，以及其余部分的借出"
    ),
    "Seconds after the call": "召回后的秒数",
    "When every gang of the pool runs, by queue, with the windows of loans": (
        "该池各任务组的运行时间，按队列，含借出窗口"
    ),
    "asked for": "所需",
    "at most, whoever leaves": "最多（无论谁离开）",
    "deadline": "期限",
    "expected online demand": "预计在线需求",
    "gangs that run now": "现在运行的任务组",
    "held for the services": "为服务保留",
    "kept for online services and others": "为在线服务等保留",
    "leaves early": "提前离开",
    "most that batch work may hold": "批处理可用上限",
    "owned by the services": "服务所有",
    "running": "运行中",
    "scheduled": "已排程",
    "scheduled gangs": "已排程的任务组",
    "this drill": "本次演练",
    "what a surge may reach": "突增可能达到",
}

_COLUMNS = {
    "Back after (s)": "归还用时（秒）",
    "Back by": "归还时间",
    "Back in time (GPUs)": "按时归还（GPU）",
    "Back within the deadline (GPUs)": "期限内归还（GPU）",
    "Deadline (s)": "期限（秒）",
    "Delay (h)": "延迟（小时）",
    "Duration from": "时长来源",
    "Earliest start": "最早启动",
    "End": "结束",
    "From": "从",
    "GPU-hours": "GPU 小时",
    "Gone by": "离开时间",
    "Grace period (s)": "宽限期（秒）",
    "Grace period needed (s)": "所需宽限期（秒）",
    "Had to be back by": "须归还时间",
    "In time": "按时",
    "Latest start": "最晚启动",
    "Least (GPUs)": "最少（GPU）",
    "Leaves in time": "能按时离开",
    "Most (GPUs)": "最多（GPU）",
    "Not in time (GPUs)": "未按时（GPU）",
    "Planned return (GPUs)": "计划归还（GPU）",
    "Runs (h)": "运行（小时）",
    "Slack (s)": "余量（秒）",
    "Start": "启动",
    "Surge (GPUs)": "突增（GPU）",
    "To": "到",
    "Who would leave (gang: GPUs)": "谁会离开（任务组：GPU）",
    "Worst return (s)": "最慢归还（秒）",
}

NIGHT: Mapping[str, str] = {**_SENTENCES, **_WORDS, **_CHARTS, **_COLUMNS}
