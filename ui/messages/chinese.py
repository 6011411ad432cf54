"""Chinese. Words of Kubernetes and Volcano (Pod, GPU, minMember) stay as people say them."""

from __future__ import annotations

from collections.abc import Mapping

from ui.messages.chinese_drill import DRILL
from ui.messages.chinese_edits import EDITS
from ui.messages.chinese_history import HISTORY
from ui.messages.chinese_night import NIGHT
from ui.messages.chinese_reasons import REASONS
from ui.messages.chinese_tables import CHARTS, COLUMNS
from ui.messages.chinese_topology import TOPOLOGY
from ui.messages.chinese_use import USE
from ui.messages.chinese_whatif import WHAT_IF
from ui.messages.chinese_words import WORDS

_PAGES = {
    "Overview": "总览",
    "Inventory": "资源清单",
    "Queues": "队列",
    "Waiting": "等待",
    "Plan": "规划",
    "Proof and data": "证明与数据",
    "The cluster now": "集群现状",
    "Planning": "规划",
    "Trust": "可信度",
}

_COUNTS = {
    "{count} GPU": "{count} 块 GPU",
    "{count} GPUs": "{count} 块 GPU",
    "{count} class": "{count} 类",
    "{count} classes": "{count} 类",
    "{count} error": "{count} 个错误",
    "{count} errors": "{count} 个错误",
    "{count} gang": "{count} 个任务组",
    "{count} gangs": "{count} 个任务组",
    "{count} more": "增加 {count}",
    "{count} more on the page Proof and data.": "另有 {count} 条，见“证明与数据”页。",
    "{count} node": "{count} 个节点",
    "{count} nodes": "{count} 个节点",
    "{count} not modelled": "{count} 个未建模",
    "{count} pod": "{count} 个 Pod",
    "{count} pods": "{count} 个 Pod",
    "{count} queue": "{count} 个队列",
    "{count} queues": "{count} 个队列",
    "{count} takes no pods": "{count} 个不接收 Pod",
    "{count} take no pods": "{count} 个不接收 Pod",
    "{count} violation": "{count} 处违规",
    "{count} violations": "{count} 处违规",
    "{count} waiting gang": "{count} 个等待的任务组",
    "{count} waiting gangs": "{count} 个等待的任务组",
    "{count} warning": "{count} 个警告",
    "{count} warnings": "{count} 个警告",
    "and {count} further findings": "另有 {count} 条发现",
    "greedy: {count}": "贪心调度：{count}",
    "of {rules} rules": "共 {rules} 条规则",
}

_SENTENCES = {
    "{started} of {waited} can start now; {after} of {most} would be allocated ({share}, now {now}).": (
        "{waited}中有 {started} 个现在可以启动；{most}中将有 {after} 块已分配（{share}，现在 {now}）。"
    ),
    "{used} of {most} allocated ({share}); waiting: {gangs} for {wanted}. Press Plan to see what can start.": (
        "{most}中有 {used} 块已分配（{share}）；{gangs}在等待 {wanted}。按“规划”查看哪些可以启动。"
    ),
    "{nodes} in {classes}: {used} of {most} allocated; free are {whole} on whole nodes, {fragment} in fragments "
    "and {away} on nodes that take no pods.": (
        "{nodes}，{classes}：{most}中有 {used} 块已分配；空闲的有 {whole} 块在整机上，{fragment} 块是碎片，"
        "{away} 块在不接收 Pod 的节点上。"
    ),
    "{queues}; shares under the queue model, loans and what each would get appear with a plan.": (
        "{queues}；规划之后会显示队列模型下的份额、借用以及各队列所得。"
    ),
    "With the plan no queue borrows or lends GPUs.": "按此规划，没有队列借入或借出 GPU。",
    "With the plan {borrowers} borrow {borrowed} above what they deserve, and {lenders} lend {lent}.": (
        "按此规划，{borrowers}超出应得份额借用 {borrowed}，{lenders}借出 {lent}。"
    ),
    "Below what they deserve, with gangs waiting: {below}.": "低于应得份额且有任务组等待：{below}。",
    "Waiting after the plan: {gangs} for {wanted}.": "规划之后仍在等待：{gangs}，需要 {wanted}。",
    "The reason that holds most GPUs: {reason} ({gangs}).": "涉及 GPU 最多的原因：{reason}（{gangs}）。",
    "Waiting: {gangs} for {wanted}; why each of them waits is told with a plan.": (
        "等待：{gangs}，需要 {wanted}；规划之后会说明各自等待的原因。"
    ),
    "Starting now: {gangs}, {pods} placed on {nodes};": "现在启动 {gangs}，{pods}放置在 {nodes}上；",
    "no running pod is touched.": "不触动任何运行中的 Pod。",
    "{pods} evicted.": "驱逐 {pods}。",
    "There is no plan yet: nothing has been asked of the planner.": "还没有规划：尚未发起请求。",
    "A plan tells which waiting gangs start now and on which nodes, checked against the rules and with a "
    "proof of how far it may be from the best one. The demo takes seconds, a large cluster up to the time limit.": (
        "规划说明哪些等待的任务组现在启动、放在哪些节点上，经规则检查，并证明与最优解最多相差多少。"
        "示例只需几秒，大集群最多用到时间上限。"
    ),
    "An independent check of {rules} rules found {violations}; {closed} of {tiers} tiers are closed.": (
        "对 {rules} 条规则的独立检查发现 {violations}；{tiers} 层目标中有 {closed} 层已证明最优。"
    ),
    "About the input: {errors}, {warnings}; the proof appears with a plan.": (
        "输入数据：{errors}，{warnings}；证明随规划给出。"
    ),
    "As of {when}; snapshot {digest}: {nodes}, {pods}": "截至 {when}；快照 {digest}：{nodes}，{pods}",
    "As of {when}, digest {digest}": "截至 {when}，摘要 {digest}",
    "Lists show only {names}; numbers at the top are of the whole cluster": (
        "列表只显示 {names}；顶部数字为整个集群"
    ),
}

_STATES = {
    "No cluster is open": "没有打开的集群",
    "Choose a sample or upload an export in the side bar.": "请在侧栏选择示例或上传导出文件。",
    "Looking at the cluster …": "正在读取集群…",
    "Reading the snapshot …": "正在读取快照…",
    "Planning runs; its progress is in the side bar. You may go on reading.": (
        "正在规划，进度见侧栏；可以继续浏览。"
    ),
    "The inputs have changed since this plan was made: it is kept, but stale.": (
        "规划之后输入已更改：结果保留，但已过期。"
    ),
    "Shown is the plan of snapshot {digest}, not of the one chosen now.": (
        "显示的是快照 {digest} 的规划，不是当前所选快照的。"
    ),
    "A plan of snapshot {digest} is kept; the cluster chosen now has no plan yet.": (
        "快照 {digest} 的规划已保留；当前所选集群还没有规划。"
    ),
    "Show that plan": "显示该规划",
    "Show the cluster": "显示集群",
    "Plan again": "重新规划",
    "Plan this cluster": "规划这个集群",
    "Stopped after {time}: this is the best plan found until then, verified.": (
        "{time}后停止：这是当时找到的最好规划，已验证。"
    ),
    "Stopped after {time}, because the page was closed: this is the best plan found until then.": (
        "页面关闭，{time}后停止：这是当时找到的最好规划。"
    ),
    "The time limit of {limit} ended the search before everything was proved; see Proof and data.": (
        "搜索在 {limit} 的时间上限结束，尚未全部证明；见“证明与数据”。"
    ),
    "No plan was found within the limit. Raise the time limit and plan again.": (
        "时限内没有找到规划。请提高时间上限后重试。"
    ),
    "The plan failed the independent check and is withheld. Please report it with the bundle.": (
        "规划未通过独立检查，不予显示。请附上诊断包报告。"
    ),
    "Bundle for a bug report": "问题报告诊断包",
    "Snapshot, policy, plan and violations: everything to repeat this run. It holds the names of your cluster.": (
        "快照、策略、规划和违规：足以重现本次运行。其中含有集群里的名称。"
    ),
    "planning": "规划中",
    "stale: inputs changed": "已过期：输入已更改",
    "no plan": "没有规划",
    "not planned yet": "尚未规划",
    "verified, {proof}": "已验证，{proof}",
    "within {gap}": "相差不超过 {gap}",
    "proved optimal": "已证明最优",
    "not proved": "未证明",
    "proved for the planned gangs alone": "仅对纳入规划的任务组已证明",
    "feasible, not proved optimal": "可行，未证明最优",
    "proved that no plan satisfies the rules": "已证明没有规划满足规则",
    "no plan found within the limit": "时限内没有找到规划",
    "open": "未定",
    "of the GPU tiers": "GPU 目标层",
    "starting": "正在开始",
    "preparing": "准备中",
    "searching": "搜索中",
    "explaining what waits": "解释等待原因",
    "asking a greedy scheduler": "与贪心调度比较",
    "verifying": "验证中",
    "waiting for a free place": "等待空位",
    "stopping: finishing and verifying the best plan": "正在停止：完成并验证最好的规划",
    "No plan yet.": "还没有规划。",
    "Tier {tier}: best {value}, bound {bound}, gap {gap}": "目标层 {tier}：最好 {value}，界 {bound}，差距 {gap}",
    "error": "错误",
    "warning": "警告",
    "info": "提示",
    "what helps": "解决办法",
    "What helps": "解决办法",
    "an unknown time": "未知时间",
}

_SIDE_BAR = {
    "Snapshot": "快照",
    "Cluster": "集群",
    "Files of this server": "服务器的文件",
    "Running cluster": "运行中的集群",
    "The cluster could not be read again; what was read before is shown.": "无法重新读取集群；显示的是之前读取的内容。",
    "Upload: {name}": "上传：{name}",
    "Sample: {name}": "示例：{name}",
    "Upload an export": "上传导出文件",
    "kubectl JSON or YAML, snapshot files; up to {limit} MB together": (
        "kubectl 的 JSON 或 YAML，快照文件；合计不超过 {limit} MB"
    ),
    "Open the files": "打开文件",
    "Read again": "重新读取",
    "No file was taken: choose one of up to {limit} MB.": "没有读取文件：请选择不超过 {limit} MB 的文件。",
    "Time limit (s)": "时间上限（秒）",
    "Gap (%)": "差距（%）",
    "Relative gap at which a tier counts as good enough; 0 asks for proof.": (
        "目标层视为足够好的相对差距；0 表示要求证明。"
    ),
    "Policy": "策略",
    "Who lends to whom": "谁借给谁",
    "Amounts that queues lend each other in the chosen resource": "队列之间所选资源的出借量",
    "An empty lender: nobody deserves it.": "出借方为空：这部分不属于任何队列。",
    "No queue borrows this resource.": "没有队列借用此资源。",
    "Evictions": "驱逐",
    "Gangs that lose pods, and for whom": "失去 Pod 的任务组及受益者",
    "No pod is evicted.": "没有 Pod 被驱逐。",
    "Policy file: {name}": "策略文件：{name}",
    "Policy file (YAML), up to 1 MB": "策略文件 (YAML)，最大 1 MB",
    "Use this file": "使用此文件",
    "Leave this file": "不再使用此文件",
    "Queue model": "队列模型",
    "Objective": "目标",
    "Priority counts in the": "优先级的范围",
    "as the snapshot says": "按快照",
    "proportion": "proportion",
    "capacity": "capacity",
    "default": "默认",
    "fair": "公平",
    "throughput": "吞吐量",
    "queue": "队列内",
    "cluster": "全集群",
    "Plan although the export is incomplete": "导出不完整也规划",
    "Stop, keep the best": "停止，保留最好结果",
    "Filter": "筛选",
    "Namespaces": "命名空间",
    "Language": "语言",
}

_METRICS = {
    "Allocated now (GPUs)": "现在已分配（GPU）",
    "Planned (GPUs)": "规划后（GPU）",
    "Start now (gangs)": "现在启动（组）",
    "Wait (gangs)": "等待（组）",
    "Gap to the best": "与最优的差距",
    "Whole nodes free (GPUs)": "整机空闲（GPU）",
    "Fragments (GPUs)": "碎片（GPU）",
    "Free GPUs of nodes on which other GPUs are used; gangs that need whole nodes cannot use them.": (
        "节点上其他 GPU 已分配时剩余的空闲 GPU；需要整机的任务组用不上。"
    ),
    "Borrowed (GPUs)": "借入（GPU）",
    "Lent (GPUs)": "借出（GPU）",
    "Below deserved": "低于应得",
    "Queues with fewer GPUs than they deserve while gangs of theirs wait.": (
        "有任务组等待而所得 GPU 少于应得的队列。"
    ),
    "Queues with waiting gangs": "有任务组等待的队列",
    "Wanted": "需要",
    "Wanted (GPUs)": "需要（GPU）",
    "Kinds of reasons": "原因种类",
    "Not modelled (gangs)": "未建模（组）",
    "Gangs with a required rule that the planner does not model; nothing is placed against it.": (
        "带有规划器未建模的强制规则的任务组；绝不违反这些规则放置。"
    ),
    "Grow (gangs)": "扩容（组）",
    "Placed (pods)": "放置（Pod）",
    "More allocated (GPUs)": "新增已分配（GPU）",
    "Tiers proved": "已证明的层",
    "Time": "时间",
    "Findings": "发现",
    "Errors": "错误",
    "Warnings": "警告",
    "Notes": "提示",
}

_SECTIONS = {
    "GPUs by pool and state": "按池与状态的 GPU",
    "From now to the plan": "从现状到规划",
    "Longest waits": "等待最久",
    "Files of the cluster as it is": "集群现状的文件",
    "Files of the plan": "规划的文件",
    "Findings about the input": "对输入的发现",
    "Nothing is noticeable about this export.": "此导出没有异常。",
    "No gang waits.": "没有任务组等待。",
    "Running gangs with pods that wait": "有 Pod 等待的运行中任务组",
    "Pods that wait": "等待的 Pod",
    "{slots} of {gpus} are slots of {cards} shared cards.": "{gpus} 中有 {slots} 个是 {cards} 张共享卡的分片。",
    "No planned gang waits.": "没有纳入规划的任务组在等待。",
    "Not planned: {workloads} of {system} with {gpus}.": "未纳入规划：{system} 的 {workloads}，共 {gpus}。",
    "{count} workload": "{count} 个工作负载",
    "{count} workloads": "{count} 个工作负载",
    "no named scheduler": "未指定调度器",
    "scheduler {name}": "调度器 {name}",
    "No node of this cluster has GPUs.": "此集群没有 GPU 节点。",
    "GPU map": "GPU 图",
    "Draw the nodes of pool": "绘制该池的节点",
    "Page of {pages}": "页（共 {pages}）",
    "Rows {first} to {last} of {total}; sorting in the table sorts these rows, the CSV file holds all.": (
        "第 {first} 至 {last} 行，共 {total} 行；表内排序只排这些行，CSV 含全部。"
    ),
    "Classes of equal nodes": "相同节点的类别",
    "Select a row to see the pods of a node.": "选择一行查看节点上的 Pod。",
    "Pods of node {name}": "节点 {name} 的 Pod",
    "This cluster has no nodes.": "此集群没有节点。",
    "No pod is on this node.": "此节点上没有 Pod。",
    "GPUs: deserved, allocated, planned": "GPU：应得、已分配、规划",
    "Who borrows, who lends": "谁借入，谁借出",
    "No queue borrows or lends GPUs.": "没有队列借入或借出 GPU。",
    "Shares ({unit})": "份额（{unit}）",
    "Resource": "资源",
    "No queue is listed.": "没有队列。",
    "A dash means: no bound in this resource.": "短横线表示该资源没有限制。",
    "Gangs that wait": "等待的任务组",
    "Select a row to see why a gang waits and what would help.": "选择一行查看等待的原因和解决办法。",
    "Why {gang} waits": "{gang} 为什么等待",
    "Text for a ticket": "工单文本",
    "Numbers behind the reasons": "原因背后的数字",
    "The reasons carry no numbers.": "这些原因没有数字。",
    "CPU in milli-CPU, memory in bytes, everything else in units.": (
        "CPU 以毫核、内存以字节、其余以个为单位。"
    ),
    "By gang": "按任务组",
    "By node": "按节点",
    "All placements": "全部放置",
    "No node receives pods.": "没有节点接收 Pod。",
    "The plan places no pod.": "规划没有放置 Pod。",
    "Select a row to see the pods of a gang.": "选择一行查看任务组的 Pod。",
    "The plan starts nothing: no waiting gang fits.": "规划没有启动任何任务组：都放不下。",
    "Pods of {gang}": "{gang} 的 Pod",
    "Certificate": "证书",
    "Rules": "规则",
    "Data": "数据",
    "No tier is reported.": "没有目标层。",
    "Best plan and bound over time": "最好规划与界随时间的变化",
    "Where the time went": "时间花在哪里",
    "No times are reported.": "没有时间数据。",
    "No rule is listed.": "没有规则。",
    "Sources": "来源",
    "No source is named.": "没有来源。",
    "Kinds that the export lacks": "导出缺少的种类",
    "The export lacks no kind.": "导出不缺少任何种类。",
    "Objects that were read and not used": "读取但未使用的对象",
    "Every object was used.": "所有对象都用到了。",
    "No policy is reported.": "没有策略。",
    "HTML report": "HTML 报告",
    "JSON document": "JSON 文档",
    "All tables (CSV)": "全部表格（CSV）",
    "CSV, rows: {rows}": "CSV，行数：{rows}",
    "Link to this view": "此视图的链接",
    "The link restores page, filters and language; the cluster itself is not in it.": (
        "链接可恢复页面、筛选和语言；不含集群本身。"
    ),
}

_DESCRIPTIONS = {
    "The five gangs that wait longest": "等待最久的五个任务组",
    "All nodes with their GPUs by state": "所有节点及其各状态 GPU",
    "Pods of the selected node": "所选节点的 Pod",
    "Pods of the selected gang": "所选任务组的 Pod",
    "Queues with their shares in the chosen resource": "所选资源下各队列的份额",
    "Gangs that wait, with their reasons": "等待的任务组及原因",
    "Numbers behind the reasons of the selected gang, CPU in milli-CPU, memory in bytes": (
        "所选任务组原因背后的数字，CPU 以毫核、内存以字节为单位"
    ),
    "Nodes that receive pods": "接收 Pod 的节点",
    "Every pod that is placed, and where": "每个放置的 Pod 及其位置",
    "Gangs that the plan starts or changes": "规划启动或更改的任务组",
    "Tiers of the objective with value, bound and gap": "各目标层的值、界和差距",
    "Seconds per stage of the run": "各阶段的秒数",
    "Rules that every plan satisfies, with violations found": "每个规划都须满足的规则及违规数",
    "The policy with the origin of each key": "策略及各项来源",
}

CHINESE: Mapping[str, str] = {
    **_PAGES,
    **_COUNTS,
    **_SENTENCES,
    **_STATES,
    **_SIDE_BAR,
    **_METRICS,
    **_SECTIONS,
    **_DESCRIPTIONS,
    **CHARTS,
    **COLUMNS,
    **REASONS,
    **NIGHT,
    **WHAT_IF,
    **DRILL,
    **TOPOLOGY,
    **USE,
    **HISTORY,
    **WORDS,
    **EDITS,
}
