"""Findings that are made before any check runs: while reading, and those that refuse an input as a whole."""

from __future__ import annotations

from models.checks.check import Check

READING = (
    Check(
        "objective_tier_absent",
        "info",
        "The policy's own list of tiers names one that counts nothing in this snapshot; it is left out.",
        "none needed; remove it from the list if it is not meant",
        noun="tiers",
        phrase="of the policy's list count nothing here",
        see_all="the policy file, key objective",
    ),
    Check(
        "node_amount_odd",
        "error",
        "A node offers an amount that no machine has (more than 512 TiB, or 5 * 10^11 CPUs or devices). It counts as "
        "0: nothing new is placed on it that asks for this resource.",
        "correct what reports the amount (device plugin, kubelet) and export again",
        noun="nodes",
        phrase="offer amounts that no machine has",
        see_all="kubectl get nodes -o yaml, status.allocatable",
    ),
    Check(
        "fixes_not_tried",
        "info",
        "Time ended before all changes were tried that could start waiting gangs beside the plan.",
        "raise --time-limit, or ask about single gangs with gangplan explain",
        noun="classes of waiting gangs",
        phrase="were not tried to the end",
        see_all="waiting in the plan document",
    ),
    Check(
        "previous_unrelated",
        "warning",
        "The plan given with `--previous` starts no gang of the snapshot on a node of it, or starts nothing and "
        "names none of its gangs and nodes; everything is planned anew.",
        "give the last plan of the same cluster, or leave --previous out",
        noun="plans",
        phrase="given with --previous have nothing to do with the snapshot",
        see_all="the document given with --previous",
    ),
    Check(
        "plan_refused",
        "error",
        "The independent check refused the best plan; the next best one, which keeps every rule, is given.",
        "send the bundle with everything to repeat the run to the developers",
        noun="plans",
        phrase="were refused by the independent check",
        see_all="the bundle that the run names",
    ),
    Check(
        "reclaim_cycle",
        "warning",
        "A waiting gang could start only by evicting gangs that could evict it again at once; it waits.",
        "change what the two queues deserve, or the priorities, so that only one of the two may evict",
        noun="gangs",
        phrase="could start only by evictions that would be undone at once",
        see_all="kubectl get podgroups -A -o yaml",
    ),
    Check(
        "conflicting_copies",
        "warning",
        "The input holds the same object twice with different content; the newer resourceVersion counts.",
        "export all kinds at one moment, each object once",
        noun="objects",
        phrase="are in the input in differing copies, of which the newer counts",
        see_all="the files named below, object by object",
    ),
    Check(
        "cluster_hidden",
        "error",
        "The account may not list nodes or pods of the running cluster; the server's answer is quoted. `plan` refuses.",
        "add the rule that the finding names to the account's ClusterRole; --allow-incomplete plans anyway",
        noun="kinds",
        phrase="without which nothing can be planned may not be listed",
        see_all="gangplan doctor --cluster",
    ),
    Check(
        "kind_forbidden",
        "warning",
        "The account may not read a kind of the running cluster; what is then assumed and the missing rule are named.",
        "add the rule that the finding names to the account's role",
        noun="kinds",
        phrase="may not be read by the account",
        see_all="gangplan doctor --cluster",
        listed=12,
    ),
    Check(
        "use_unknown",
        "warning",
        "Measured use of GPUs was asked for and is not there, or in part; what is not measured is not called idle.",
        "try the query of `use.prometheus` in the server's own page",
        noun="notes",
        phrase="say what the measured use lacks",
    ),
    Check(
        "priority_unknown",
        "error",
        "A PriorityClass is not in the export and the pods carry no number; their gangs get the default priority.",
        "export the priority classes too (kubectl get priorityclasses.scheduling.k8s.io)",
        noun="priority classes",
        phrase="are not in the export",
        see_all="kubectl get priorityclasses",
    ),
    Check(
        "scheduler_config_unreadable",
        "error",
        "The scheduler's ConfigMap cannot be read; queue model and evictions come from the policy or the defaults.",
        "export the ConfigMap again, or give queue model and evictions in the policy",
        noun="ConfigMaps",
        phrase="cannot be read",
        see_all="kubectl get configmaps -A",
    ),
    Check(
        "several_scheduler_configs",
        "warning",
        "The export holds several scheduler ConfigMaps; the one with the usual name counts, else the first.",
        "export only the ConfigMap of the scheduler that is planned for",
    ),
)

_AGAIN = "export it again with kubectl"
_POLICY = "correct the policy; the message names the key"

REFUSALS = (
    Check(
        "cluster_context",
        "error",
        "A context of the kubeconfig is not there, or cannot be used: no credentials, a plugin that fails.",
        "name a context of `kubectl config get-contexts`, or log in again",
    ),
    Check(
        "cluster_unreachable",
        "error",
        "The API server or Prometheus cannot be reached, or breaks off every answer.",
        "check address, VPN and certificate; read again",
    ),
    Check(
        "cluster_credentials",
        "error",
        "The API server does not accept the account, even with renewed credentials.",
        "log in again",
    ),
    Check(
        "cluster_answer",
        "error",
        "The server answers what no API server would, or refuses a kind for a reason of its own.",
        "check the address of the context; read again",
    ),
    Check(
        "cluster_answer_damaged",
        "error",
        "Several answers in a row were no list of objects.",
        "read again; look for a proxy between here and the API server",
    ),
    Check(
        "cluster_list_expired",
        "error",
        "A list expired at the API server (410 Gone) each time that it was read.",
        "read again when the cluster is quieter",
    ),
    Check(
        "answer_too_large",
        "error",
        "A server gives more than any list has.",
        "check that the address is that of the server which was meant",
    ),
    Check("file_unreadable", "error", "A file cannot be opened.", "check path and permissions"),
    Check("file_damaged", "error", "A file ends early or breaks its own syntax.", _AGAIN),
    Check(
        "file_refused", "error", "A file would take unreasonable time or memory to read.", _AGAIN
    ),
    Check(
        "format_unknown",
        "error",
        "A file is in none of the formats.",
        "give kubectl output (-o json or -o yaml), a snapshot file, or an openb node or pod list",
    ),
    Check(
        "input_empty",
        "error",
        "The input holds no object at all.",
        "export nodes, pods, podgroups and queues",
    ),
    Check(
        "object_invalid",
        "error",
        "A field of an object cannot be understood.",
        "correct the named field",
    ),
    Check(
        "snapshot_invalid",
        "error",
        "A snapshot file breaks its schema.",
        "write it again with the convert verb",
    ),
    Check(
        "trace_lists_mixed",
        "error",
        "Trace lists contradict each other.",
        "give one node list and one pod list",
    ),
    Check(
        "two_clusters",
        "error",
        "The files come from two clusters.",
        "give the files of one cluster at a time",
    ),
    Check(
        "upload_too_large",
        "error",
        "An upload in the dashboard is larger than its server takes.",
        "make one small file of it with the convert verb, or start the server with a higher --max-upload",
    ),
    Check(
        "unreadable",
        "error",
        "The input cannot be read for a reason that no reader foresaw.",
        _AGAIN,
    ),
    Check(
        "policy_unreadable",
        "error",
        "The policy file cannot be read.",
        "give a YAML file of policy keys",
    ),
    Check(
        "policy_not_yaml", "error", "The policy file is not valid YAML.", "correct the YAML syntax"
    ),
    Check(
        "policy_unknown_key",
        "error",
        "The policy has an unknown key; the nearest known one is named.",
        _POLICY,
    ),
    Check(
        "policy_unknown_tier",
        "error",
        "The policy's objective lists no tier, an unknown one (the nearest known is named), or one twice.",
        _POLICY,
    ),
    Check("policy_invalid_value", "error", "A policy key has a value of the wrong kind.", _POLICY),
    Check(
        "no_time",
        "error",
        "A schedule needs a moment to start from, and the export holds no time.",
        "set `now` in the policy",
    ),
    Check(
        "plan_unreadable",
        "error",
        "A plan document cannot be read.",
        "give a file of `gangplan plan -o json`",
    ),
    Check(
        "plan_invalid_field",
        "error",
        "A field of a plan document has the wrong kind.",
        "correct the named field",
    ),
)
"""These end a run with exit code 3; they are never part of a plan's findings."""
