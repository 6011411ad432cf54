"""Policy key ``domain_resources``: capacities that the nodes of a topology domain share, and who requests them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictInt, model_validator

from models.workloads import Gang

ANNOTATION: Final = "gangplan.io/domain-request"
CLUSTER: Final = "cluster"
Amount = Annotated[StrictInt, Field(ge=0, lt=1 << 53)]
_PAIR = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*=\s*([0-9]{1,15})\s*", re.ASCII)


def _level_text(value: object) -> object:
    """A tier may be written as a number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class DomainRequestRule(BaseModel):
    """Pods that request an amount by their labels; the first rule that fits a pod counts.

    Attributes
    ----------
    selector
        Labels that the pod has, all of them; none selects every pod.
    namespace, queue
        Only pods of this namespace, of gangs in this queue.
    amount
        What each such pod requests, in the unit of the resource.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    selector: Mapping[str, str] = Field(default_factory=dict)
    namespace: str | None = None
    queue: str | None = None
    amount: Amount

    def fits(self, namespace: str, labels: Mapping[str, str], queue: str) -> bool:
        """Whether the rule speaks of such a pod."""
        if self.namespace not in (None, namespace) or self.queue not in (None, queue):
            return False
        return all(labels.get(key) == value for key, value in self.selector.items())


class DomainResource(BaseModel):
    """One shared resource.

    Attributes
    ----------
    per
        ``cluster``, a level of the topology (tier name, tier number, label of ``topology_labels``) or a node label key.
    unit
        Word for amounts, for example ``GB/s``; amounts are whole numbers of it.
    capacity
        What each domain has.
    capacities
        What single domains have instead.
    requests
        Who requests it by label; the annotation ``gangplan.io/domain-request`` on a pod, or else on its gang, goes
        first.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    per: Annotated[str, BeforeValidator(_level_text)] = Field(min_length=1)
    unit: str = ""
    capacity: Amount | None = None
    capacities: Mapping[str, Amount] = Field(default_factory=dict)
    requests: tuple[DomainRequestRule, ...] = ()

    @model_validator(mode="after")
    def _has_capacity(self) -> DomainResource:
        if self.capacity is None and not self.capacities:
            raise ValueError("needs capacity (of each domain) or capacities (domain: amount)")
        return self

    def capacity_of(self, domain: str) -> int:
        """What a domain has; 0 where nothing is said of it.

        A domain of ``topology_labels`` is named by its path (``spine-1/leaf-7``), or by its own label (``leaf-7``).
        """
        own = domain.rpartition("/")[2]
        found = self.capacities.get(domain, self.capacities.get(own, self.capacity))
        return found or 0


def annotated_requests(annotations: Mapping[str, str]) -> dict[str, int] | None:
    """``name=amount`` pairs of the annotation; None without it, or where it cannot be read."""
    text = annotations.get(ANNOTATION)
    if text is None:
        return None
    found: dict[str, int] = {}
    for part in text.split(","):
        match = _PAIR.fullmatch(part)
        if match is None:
            return None
        found[match[1]] = int(match[2])
    return found


def domain_requests(
    resources: Mapping[str, DomainResource],
    namespace: str,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    gang: Gang | None,
) -> dict[str, int]:
    """What one pod requests of each resource, without zeros."""
    told = annotated_requests(annotations)
    if told is None:
        told = annotated_requests(gang.annotations) if gang is not None else None
    found: dict[str, int] = {}
    for name, one in resources.items():
        amount = (told or {}).get(name)
        if amount is None:
            queue = gang.queue if gang is not None else ""
            rule = next((r for r in one.requests if r.fits(namespace, labels, queue)), None)
            amount = rule.amount if rule is not None else 0
        if amount:
            found[name] = amount
    return found
