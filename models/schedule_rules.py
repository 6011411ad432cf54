"""The rules of a schedule: one id for the check, the sentence and the tests."""

from __future__ import annotations

from enum import StrEnum


class ScheduleRule(StrEnum):
    """Stable names of what a schedule must satisfy beyond the rules of a plan, which hold in its first bucket."""

    GRID = "schedule_grid"
    GANGS = "schedule_gangs"
    LENDING = "schedule_lending"
    RUNS = "schedule_runs"
    ROOM = "schedule_room"
    SERVICES = "schedule_services"
    NODES = "schedule_nodes"
    LOANS = "schedule_loans"
    RESOURCES = "schedule_resources"
    RESERVATIONS = "schedule_reservations"
    QUEUE_LIMIT = "schedule_queue_limit"
    READY = "schedule_ready"
    DELAY = "schedule_delay"
    RANK = "schedule_rank"
    FIRST_BUCKET = "schedule_first_bucket"
    TIERS = "schedule_tiers"


SENTENCES: dict[ScheduleRule, str] = {
    ScheduleRule.GRID: "Buckets begin now and follow each other.",
    ScheduleRule.GANGS: "Every gang that waits or runs is listed, once; who waits has no runs.",
    ScheduleRule.LENDING: "Loan limits are for these buckets; slow ≤ lendable ≤ owned.",
    ScheduleRule.RUNS: "Runs begin when they may, last as long as their work, and stop only where they can.",
    ScheduleRule.ROOM: "In every pool and bucket GPUs in use fit own ones and loans, slow ones their limit.",
    ScheduleRule.SERVICES: "What is kept for a service has its place on nodes in every bucket, or is told as missing.",
    ScheduleRule.NODES: "What services and starting gangs hold of a node fits beside all that it holds, at all times.",
    ScheduleRule.LOANS: "Every bucket in which a pool lends belongs to one loan, which is back by the time it must be.",
    ScheduleRule.RESOURCES: "In every pool and bucket CPU, memory and the like fit beside running work.",
    ScheduleRule.RESERVATIONS: "Others keep out of what the calendar keeps for a queue.",
    ScheduleRule.QUEUE_LIMIT: "A queue and its ancestors stay within their limits in every bucket.",
    ScheduleRule.READY: "A gang that starts holds at least what makes it ready.",
    ScheduleRule.DELAY: "Delay counts from the moment a gang could first start.",
    ScheduleRule.RANK: "A rank is the position of the priority among those of the queue.",
    ScheduleRule.FIRST_BUCKET: "Who starts in the first bucket is placed on nodes of its pools, and nobody else is.",
    ScheduleRule.TIERS: "Every tier has the value that the entries give.",
}
