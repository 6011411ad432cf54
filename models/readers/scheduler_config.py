"""The ConfigMap of the Volcano scheduler (key ``volcano-scheduler.conf``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from models.cluster import SchedulerConfig, SchedulerPlugin
from models.readers.fields import BadObject, flag, mapping, mappings, printable, text
from models.readers.metadata import MetaReader
from models.readers.yaml_values import read_yaml_text

CONFIG_KEY: Final = "volcano-scheduler.conf"
USUAL_NAME: Final = "volcano-scheduler-configmap"
_HIERARCHY_KEYS: Final = ("enableHierarchy", "enabledHierarchy")


def holds_scheduler_config(raw: Mapping[str, Any]) -> bool:
    """Whether a ConfigMap is the scheduler's."""
    data = raw.get("data")
    return isinstance(data, dict) and isinstance(data.get(CONFIG_KEY), str)


def read_scheduler_config(raw: Mapping[str, Any], metas: MetaReader) -> SchedulerConfig:
    """Actions in order and plugins tier by tier.

    Raises
    ------
    BadObject
        The text under the key is no scheduler configuration.
    """
    meta = metas.read(raw)
    document = read_yaml_text(mapping(raw, "data")[CONFIG_KEY], where=CONFIG_KEY)
    if not isinstance(document, dict):
        raise BadObject(f"{CONFIG_KEY} is not a mapping")
    actions = text(document, "actions")
    return SchedulerConfig(
        source=meta.full_name,
        actions=tuple(name for part in actions.split(",") if (name := part.strip())),
        plugins=tuple(
            _plugin(one, tier)
            for tier, entry in enumerate(mappings(document, "tiers"))
            for one in mappings(entry, "plugins")
        ),
    )


def _plugin(raw: Mapping[str, Any], tier: int) -> SchedulerPlugin:
    arguments = mapping(raw, "arguments")
    return SchedulerPlugin(
        name=text(raw, "name"),
        tier=tier,
        arguments={
            printable(key, "arguments"): printable(" ".join(_as_text(value).split()), key)
            for key, value in sorted(arguments.items())
        },
        enabled_hierarchy=any(flag(raw, key) for key in _HIERARCHY_KEYS),
    )


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
