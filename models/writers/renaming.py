"""Consistent new names: the same text always gets the same replacement, different texts different ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from models.gpu import MODEL_LABELS
from models.resources import Resources

_KEPT_NAMES: Final = frozenset(
    {
        "",
        "default",
        "root",
        "kube-system",
        "volcano-system",
        "system-cluster-critical",
        "system-node-critical",
    }
)
_KEPT_ROLES: Final = frozenset(
    {
        "chief",
        "default",
        "driver",
        "evaluator",
        "head",
        "launcher",
        "main",
        "master",
        "ps",
        "scheduler",
        "server",
    }
    | {"trainer", "worker"}
)
_KNOWN_DOMAINS: Final = (
    "kubernetes.io",
    "k8s.io",
    "volcano.sh",
    "gangplan.io",
    "nvidia.com",
    "amd.com",
    "intel.com",
    "habana.ai",
    "huawei.com",
    "cambricon.com",
    "google.com",
    "amazonaws.com",
    "azure.com",
    "aliyun.com",
    "alibabacloud.com",
    "kubeflow.org",
    "ray.io",
)
# Labels whose values describe hardware or marks of the scheduler and name nobody.
_KEPT_VALUES: Final = frozenset(
    {
        *MODEL_LABELS,
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/instance-type",
        "node.kubernetes.io/instance-type",
    }
)
_KEPT_VALUE_DOMAINS: Final = (
    "nvidia.com",
    "amd.com",
    "node-role.kubernetes.io",
    "node.kubernetes.io",
)
_ROLE_KEY: Final = "volcano.sh/task-spec"
_PLAIN_VALUE: Final = re.compile(
    r"|\*|[+-]?[0-9.]+|true|false|[0-9.]+(?:ns|us|ms|s|m|h)(?:[0-9.]+[smh])*", re.I
)
_TOKEN: Final = re.compile(r"GPU-[0-9a-fA-F-]{8,}|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


class Renaming:
    """New names, given out kind by kind in the order of the old ones, so that sorting stays as it was."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._roles: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._domains: dict[str, str] = {}
        self._devices: dict[str, str] = {}

    def give(self, kind: str, old_names: Iterable[str]) -> None:
        """Name every text of a kind that has no new name yet; what every cluster has keeps its name."""
        fresh = sorted(set(old_names) - self._names.keys() - _KEPT_NAMES)
        width = len(str(len(fresh)))
        for number, name in enumerate(fresh, 1):
            self._names[name] = f"{kind}-{number:0{width}}"

    def give_roles(self, roles: Iterable[str]) -> None:
        """Name every role that is no common word."""
        for role in sorted(set(roles) - _KEPT_ROLES - {""}):
            self._roles[role] = f"role-{len(self._roles) + 1}"

    def name(self, old: str) -> str:
        """New name of an object."""
        return self._names.get(old, old)

    def full_name(self, old: str) -> str:
        """New name of ``namespace/name``."""
        return "/".join(self.name(part) for part in old.split("/"))

    def role(self, old: str) -> str:
        """New name of a role."""
        return self._roles.get(old, old)

    def key(self, old: str) -> str:
        """Key of a label or resource: a domain that is not widely known is replaced."""
        domain, slash, rest = old.rpartition("/")
        if not slash or _within(domain, _KNOWN_DOMAINS):
            return old
        new = self._domains.setdefault(domain, f"domain-{len(self._domains) + 1}.example")
        return f"{new}/{rest}"

    def value(self, key: str, old: str) -> str:
        """Value of a label: names become their new names, free text a number, hardware and plain values stay."""
        if old in self._names:
            return self._names[old]
        if key == _ROLE_KEY:
            return self.role(old)
        kept = key in _KEPT_VALUES or _within(key.rpartition("/")[0], _KEPT_VALUE_DOMAINS)
        if kept or old in _KEPT_NAMES or _PLAIN_VALUE.fullmatch(old):
            return old
        return self._values.setdefault(old, f"value-{len(self._values) + 1}")

    def labels(self, old: Mapping[str, str]) -> dict[str, str]:
        """Labels with new keys and values."""
        return {self.key(key): self.value(key, value) for key, value in old.items()}

    def annotations(self, old: Mapping[str, str]) -> dict[str, str]:
        """Kept annotations; their values are marks, durations or names."""
        return {
            key: self.value(key, value) if _TOKEN.fullmatch(value) else self.text(value)
            for key, value in old.items()
        }

    def resources(self, old: Resources) -> Resources:
        """Amounts under new resource names."""
        return Resources({self.key(name): amount for name, amount in old.items()})

    def text(self, old: str) -> str:
        """Free text in which known names and device ids are replaced."""
        return _TOKEN.sub(lambda match: self._token(match[0]), old)

    def _token(self, token: str) -> str:
        if token.startswith("GPU-"):
            return self._devices.setdefault(token, f"GPU-{len(self._devices) + 1:08}")
        for known in (self._names, self._roles, self._values):
            if token in known:
                return known[token]
        return token


def _within(domain: str, known: Iterable[str]) -> bool:
    return any(domain == one or domain.endswith(f".{one}") for one in known)
