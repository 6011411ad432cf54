"""Demand for which nothing is planned, in the reader's language."""

from __future__ import annotations

from ui.parts.page import Page
from ui.parts.text import plain


def left_out_sentence(page: Page) -> str:
    """One sentence per queueing system or scheduler, each with a space behind it; "" where nothing is left out."""
    say, told = page.say, ""
    for one in page.base.inventory.summary.left_out:
        name = plain(one.system) or say("no named scheduler")
        told += say(
            "Not planned: {workloads} of {system} with {gpus}.",
            workloads=say.counted(one.workloads, "{count} workload", "{count} workloads"),
            system=name if one.queueing else say("scheduler {name}", name=name),
            gpus=say.gpus(one.gpus),
        )
        told += " "
    return told


def slots_sentence(page: Page) -> str:
    """That GPUs are slots of shared cards, with a space behind it; "" where they are cards."""
    found = page.base.inventory.summary
    if not found.gpu_slots:
        return ""
    told = page.say(
        "{slots} of {gpus} are slots of {cards} shared cards.",
        slots=found.gpu_slots,
        gpus=page.say.gpus(found.gpus_allocatable),
        cards=found.gpu_slot_cards,
    )
    return f"{told} "


def nobody_waits(page: Page) -> str:
    """What an empty list of waiting gangs says."""
    told = left_out_sentence(page)
    return f"{told}{page.say('No planned gang waits.')}" if told else page.say("No gang waits.")
