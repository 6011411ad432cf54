"""The certificate of a plan in words."""

from __future__ import annotations

from collections.abc import Callable

from models.plan import Certificate, Verification
from models.spoken import Say, english
from planner.report.text import counted, ratio_percent

_STATUS = {
    "OPTIMAL": "proved optimal",
    "FEASIBLE": "feasible, not proved optimal",
    "INFEASIBLE": "proved that no plan satisfies the rules",
    "NO_SOLUTION_IN_TIME": "no plan found within the limit",
}
_PLANNED = "proved for the planned gangs alone"
_FAR = 0.1
_KINDS = {
    "shortfall": "shortfall of queues below their deserved GPUs",
    "gpus": "GPUs of the gangs that start",
    "gangs": "gangs that start",
    "working_evicted": "GPUs evicted that work (measured; unmeasured ones count as working)",
    "gangs_given_up": "running gangs given up",
    "pods_evicted": "pods evicted",
    "pods_moved": "pods moved to another node",
    "lost_work": "work lost by evictions",
    "eviction_domains": "topology domains in which pods are evicted",
    "back_in_time": "GPUs back within the deadline",
    "back": "GPUs back in the end",
    "last_second": "last second at which a pod gets room, where that is late",
    "gpu_seconds_waited": "GPU-seconds until the room is there",
    "gpu_hours": "work done in the horizon",
    "delay": "delay of starts, weighted by GPUs",
    "missed_returns": "GPUs not back in time",
    "missed_deadlines": "gangs that miss their deadline",
    "sla_missed": "gangs that miss their waiting time",
    "kept_starts": "starts as in the previous schedule",
    "covered.shortfall": "shortfall of queues below their deserved GPUs, all covered gangs together",
    "elastic": "elastic pods above the minimum",
    "packing": "GPUs left on nodes without GPU pods",
    "preferences": "points of preferred rules that new pods do not get",
}


def status_words(certificate: Certificate) -> str:
    """What the status means."""
    if certificate.scope == "planned" and all(tier.gap == 0 for tier in certificate.tiers):
        return _PLANNED
    return _STATUS.get(certificate.status, certificate.status)


def proof_short(certificate: Certificate) -> str:
    """``proved optimal``, ``GPUs proved optimal``, ``within 0.80 %``, ``not proved``: over the GPU tiers together.

    Tiers in GPUs are those of which people ask how far the plan may be from the best one; the tiers below them (counts,
    packing) are in the table of the method. Without a GPU tier all tiers count.
    """
    if certificate.status != "FEASIBLE":
        return status_words(certificate)
    tiers = [tier for tier in certificate.tiers if tier.name.endswith(".gpus")]
    gaps = [tier.gap for tier in tiers or certificate.tiers]
    if not gaps or any(gap is None for gap in gaps):
        return "not proved"
    share = max(gap for gap in gaps if gap is not None)
    if tiers:
        still = sum(abs((tier.bound or 0) - tier.value) for tier in tiers)
        share = still / max(1, sum(tier.value for tier in tiers))
    if share == 0 and certificate.scope == "planned":
        return _PLANNED
    if share == 0:
        return "GPUs proved optimal" if tiers else "proved optimal"
    return "far from proved" if share > _FAR else f"within {ratio_percent(share)}"


def proof_detail(certificate: Certificate) -> str:
    """How many tiers are closed, open or without a bound."""
    tiers = certificate.tiers
    if not tiers:
        return "no tier is reported"
    closed = sum(1 for tier in tiers if tier.gap == 0)
    without = sum(1 for tier in tiers if tier.gap is None)
    text = f"{closed} of {counted(len(tiers), 'tier')} closed"
    return f"{text}, {without} without a bound" if without else text


def proof_scope(certificate: Certificate) -> str:
    """What the short proof speaks of, with :func:`proof_detail`."""
    if proof_short(certificate).startswith("within"):
        return f"GPU tiers; {proof_detail(certificate)}"
    return proof_detail(certificate)


def properties_words(certificate: Certificate, say: Say = english) -> str:
    """What the property word of the certificate promises."""
    if certificate.properties == "proved":
        return say(
            "Every start tier is closed (bound = value): no correct plan starts a waiting gang without giving up "
            "something that ranks before it."
        )
    return say(
        "Not every start tier is closed: what holds is that no waiting gang fits beside the plan with its placements "
        "as they are."
    )


def verification_words(verification: Verification | None, say: Say = english) -> str:
    """The result of the independent check, in one sentence."""
    if verification is None:
        return say("Not verified")
    found, rules = len(verification.violations), verification.rules
    of = say("1 rule") if rules == 1 else say("{count} rules", count=f"{rules:,}")
    if not found:
        return say("Verified: 0 violations of {rules}", rules=of)
    if found == 1:
        return say("Failed verification: 1 violation of {rules}", rules=of)
    return say("Failed verification: {count} violations of {rules}", count=f"{found:,}", rules=of)


def tier_words(name: str, say: Callable[[str], str] = str) -> str:
    """A tier's name in words: ``GPUs of the gangs that start (covered gangs, rank 1)``.

    ``say`` gives the words of another language.
    """
    parts = name.split(".")
    if len(parts) == 3 and parts[2] == "elastic":  # of gangs of either class
        return f"{say(_KINDS['elastic'])} ({say('rank')} {parts[1]})"
    if len(parts) == 3 and parts[2] in _KINDS:
        return f"{say(_KINDS[parts[2]])} ({say(f'{parts[0]} gangs')}, {say('rank')} {parts[1]})"
    if parts[0] == "domains" and len(parts) == 2:
        return f"{say('topology domains used at level')} {parts[1]}"
    return say(_KINDS.get(name, name))
