"""Chinese words of measured use."""

from __future__ import annotations

from collections.abc import Mapping

USE: Mapping[str, str] = {
    "Allocated but idle": "已分配但空闲",
    "Allocated is what pods hold, measured is what works. GPU-hours are those of the last week, as far as it "
    "was measured; idle GPUs of a queue are held by gangs of which no GPU has worked for {span}.": (
        "已分配指 Pod 占有的 GPU，测得指实际在工作的 GPU。GPU 小时为最近一周中有测量的部分；"
        "队列的空闲 GPU 属于已有 {span} 没有任何 GPU 工作的任务组。"
    ),
    "Gangs whose GPUs are all idle": "所有 GPU 都空闲的任务组",
    "No gang holds GPUs that are all idle (measured).": "没有任务组的 GPU 全部空闲（测得）。",
    "Use of GPUs by queue": "各队列的 GPU 使用情况",
    "No running gang holds whole GPUs.": "没有正在运行的任务组占有整个 GPU。",
    "Allocated (GPUs)": "已分配（GPU）",
    "Allocated (GPU-hours)": "已分配（GPU 小时）",
    "Idle, measured (GPUs)": "空闲，测得（GPU）",
    "Idle, measured (h)": "空闲，测得（小时）",
    "Idle, measured (GPU-hours)": "空闲，测得（GPU 小时）",
    "Unmeasured (GPUs)": "未测量（GPU）",
    "Worked, measured (%)": "工作，测得（%）",
    "Worked, measured (GPU-hours)": "工作，测得（GPU 小时）",
}
