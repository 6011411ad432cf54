"""What the scheduler's configuration and the policy say to each other."""

from __future__ import annotations

from collections.abc import Iterator

from models.checks.check import LISTED_GROUPS, Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.queues import ROOT_QUEUE
from models.windows import parse_window

RECLAIM_ACTIONS = ("reclaim", "gangreclaim")


def reclaimable_without_action(subject: Subject) -> Iterator[Hit]:
    """``reclaimable`` is true, but the scheduler has no reclaim action (only with its ConfigMap)."""
    config = subject.snapshot.scheduler
    if config is None or any(action in RECLAIM_ACTIONS for action in config.actions):
        return
    names = [q.name for q in subject.snapshot.queues if q.reclaimable and q.name != ROOT_QUEUE]
    if names:
        yield Hit(
            f"scheduler/{config.source}",
            f"{counted(len(names), 'queue')} ({names_text(names)}) {'is' if len(names) == 1 else 'are'} reclaimable, "
            f"but the scheduler's actions ({', '.join(config.actions) or 'none'}) have no reclaim: "
            "what they borrow is never taken back",
        )


def moves_not_planned(subject: Subject) -> Iterator[Hit]:
    """The policy allows moves, but this version plans without them."""
    if subject.policy.policy.allow_moves:
        origin = subject.policy.origins.get("allow_moves", "default")
        yield Hit(
            "policy/allow_moves",
            f"moves of running pods are allowed ({origin}), but planned without: every running pod stays on its node",
        )


WITHOUT_EFFECT = {
    "fair_sharing": "it belongs to the cohort model, which is not supported yet",
    "limits": "no search knows a limit beside --time-limit and --gap",
}


def policy_without_effect(subject: Subject) -> Iterator[Hit]:
    """Somebody set a key that this version reads and does not use."""
    policy = subject.policy.policy
    for key, why in WITHOUT_EFFECT.items():
        origin = subject.policy.origins.get(key, "default")
        if origin not in ("default", "scheduler ConfigMap") and getattr(policy, key):
            yield Hit(f"policy/{key}", f"{key} ({origin}) changes nothing: {why}")


def queue_plugins_conflict(subject: Subject) -> Iterator[Hit]:
    """The plugins proportion and capacity are both configured."""
    config = subject.snapshot.scheduler
    if config is not None and config.plugin("proportion") and config.plugin("capacity"):
        yield Hit(
            f"scheduler/{config.source}",
            "the plugins proportion and capacity are both configured; they exclude each other, "
            f"planned with {subject.policy.queue_model}",
        )


def queue_model_differs(subject: Subject) -> Iterator[Hit]:
    """The policy's queue model is not the one that the scheduler uses."""
    config = subject.snapshot.scheduler
    if config is None:
        return
    configured = [name for name in ("capacity", "proportion") if config.plugin(name) is not None]
    if configured and subject.policy.queue_model not in configured:
        yield Hit(
            f"scheduler/{config.source}",
            f"the plan uses queue model {subject.policy.queue_model} "
            f"({subject.policy.origins.get('queue_model', 'default')}), the scheduler uses {configured[0]}",
        )


def window_malformed(subject: Subject) -> Iterator[Hit]:
    """A revocable zone's window cannot be read: the zone is never open."""
    for zone, text in sorted((subject.policy.policy.revocable_zones or {}).items()):
        if parse_window(text) is None:
            yield Hit(
                f"zone/{zone}",
                f"the window of revocable zone {zone} is {text[:40]!r}, not HH:MM-HH:MM with an end after "
                "its start: the zone is never open",
            )


def window_crosses_midnight(subject: Subject) -> Iterator[Hit]:
    """A revocable zone's window ends on the next day, which Volcano's tdm plugin gets wrong."""
    for zone, text in sorted((subject.policy.policy.revocable_zones or {}).items()):
        window = parse_window(text)
        if window is not None and window.crosses_midnight:
            end = f"{window.end // 60:02d}:{window.end % 60:02d}"
            yield Hit(
                f"zone/{zone}",
                f"the window {text} of revocable zone {zone} crosses midnight: the plan counts it as open after 00:00, "
                f"Volcano counts it as closed from 00:00 to {end} and evicts its pods then",
            )


CHECKS = (
    Check(
        "reclaimable_without_action",
        "info",
        "Queues are reclaimable, but the scheduler has neither the action reclaim nor gangreclaim: what a queue "
        "borrows is not taken back. Only checked where the scheduler's ConfigMap is in the export.",
        "add reclaim (or gangreclaim) to the scheduler's actions if queues are to get back what they lent",
        find=reclaimable_without_action,
    ),
    Check(
        "moves_not_planned",
        "info",
        "The policy allows moves of running pods; this version plans without them.",
        "read the plan as what can start without moving anybody; allow_moves: false silences this",
        find=moves_not_planned,
    ),
    Check(
        "policy_without_effect",
        "warning",
        "The policy sets a key that is read and changes nothing in this version.",
        "remove the key; the message says why it has no effect",
        find=policy_without_effect,
    ),
    Check(
        "queue_plugins_conflict",
        "warning",
        "The scheduler's ConfigMap holds both queue plugins, proportion and capacity; they exclude each other.",
        "remove one of them from the ConfigMap",
        find=queue_plugins_conflict,
    ),
    Check(
        "queue_model_differs",
        "warning",
        "The policy's queue model is not the one in the scheduler's ConfigMap; the plan may start what the scheduler "
        "would not.",
        "leave queue_model out of the policy, or change the scheduler",
        find=queue_model_differs,
    ),
    Check(
        "window_malformed",
        "warning",
        "The window of a revocable zone cannot be read; the zone is never open.",
        "write it as HH:MM-HH:MM, for example 01:00-06:00",
        noun="zones",
        phrase="have a window that cannot be read",
        see_all="revocable_zones of the policy",
        listed=LISTED_GROUPS,
        find=window_malformed,
    ),
    Check(
        "window_crosses_midnight",
        "warning",
        "The window of a revocable zone crosses midnight. Volcano's tdm plugin then counts the zone as closed after "
        "midnight and evicts its pods.",
        "use two zones, or shift the scheduler's time zone so that the window lies inside one day",
        noun="zones",
        phrase="have a window that crosses midnight",
        see_all="revocable_zones of the policy",
        listed=LISTED_GROUPS,
        find=window_crosses_midnight,
    ),
)
