"""More of a resource that a domain shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from models.edits.edit import Edit
from models.edits.policy_edit import SetPolicy
from models.plan import Reason
from models.policy_domains import DomainResource
from models.rules import RuleId
from planner.explain.fixes.candidate import Candidate, EditsFor


def more_shared(
    resources: Mapping[str, DomainResource], reasons: Mapping[str, Reason]
) -> Iterator[Candidate]:
    """The domain with most left has enough for the gang alone; tried by planning with that capacity."""
    for code in ("topology", "topology_never"):
        data = reasons[code].data if code in reasons else {}
        name = str(data.get("resource", ""))
        if data.get("rule") != RuleId.DOMAIN_RESOURCES or name not in resources or not data["left"]:
            continue
        left: Mapping[str, int] = data["left"]
        domain = max(left, key=lambda one: (left[one], one))
        old = resources[name].capacity_of(domain)
        new = old + max(int(data["need"]) - left[domain], 0)
        if new == old:
            continue
        changed = {
            other: one.model_dump(mode="json", exclude_defaults=True)
            for other, one in resources.items()
        }
        changed[name]["capacities"] = {**resources[name].capacities, domain: new}
        unit = f" {resources[name].unit}" if resources[name].unit else ""
        text = f"raise {name} of {domain} from {old:,} to {new:,}{unit}"
        edit = SetPolicy(keys={"domain_resources": changed})
        yield Candidate("raise_domain_resource", text, _always(edit), new - old, (name, domain))


def _always(edit: Edit) -> EditsFor:
    return lambda gang: (edit,)
