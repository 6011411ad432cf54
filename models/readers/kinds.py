"""The kinds of objects that are read: one table for readers, paths of the API server and rights that reading needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

VOLCANO: Final = "scheduling.volcano.sh"
TRAINING_JOBS: Final = ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "MXJob", "JAXJob")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of which all objects are read.

    Attributes
    ----------
    group
        API group, "" for the core.
    kind, resource
        As objects say it, and as paths and rules of RBAC say it.
    version
        Asked for where the API server does not tell which versions it serves; objects of every version are accepted.
    assumed
        What is assumed where the input holds none, "" where nothing follows from that.
    """

    group: str
    kind: str
    resource: str
    version: str = "v1"
    assumed: str = ""

    @property
    def full_name(self) -> str:
        """``Queue.scheduling.volcano.sh``; the core's kinds have no suffix."""
        return f"{self.kind}.{self.group}" if self.group else self.kind

    @property
    def full_resource(self) -> str:
        """As kubectl takes it: ``queues.scheduling.volcano.sh``."""
        return f"{self.resource}.{self.group}" if self.group else self.resource


KINDS: Final = (
    Kind("", "Node", "nodes", assumed="there are no nodes: nothing can be placed"),
    Kind("", "Pod", "pods", assumed="no pod runs or waits: all nodes are free"),
    Kind(
        VOLCANO,
        "PodGroup",
        "podgroups",
        "v1beta1",
        "gangs are known by Volcano Jobs only, other pods are gangs of one",
    ),
    Kind(
        VOLCANO,
        "Queue",
        "queues",
        "v1beta1",
        "only the queue default exists, Open and without limits",
    ),
    Kind(
        "batch.volcano.sh",
        "Job",
        "jobs",
        "v1alpha1",
        "pods that are not created yet are known from minResources only",
    ),
    Kind(
        "scheduling.k8s.io",
        "PriorityClass",
        "priorityclasses",
        assumed="priorities are those that pods carry, else 0",
    ),
    Kind(
        "policy",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        assumed="no budget protects running pods",
    ),
    Kind(
        "topology.volcano.sh",
        "HyperNode",
        "hypernodes",
        "v1alpha1",
        "there are no topology domains",
    ),
    Kind("batch", "Job", "jobs"),
    Kind("apps", "Deployment", "deployments"),
    Kind("apps", "ReplicaSet", "replicasets"),
    Kind("apps", "StatefulSet", "statefulsets"),
    Kind("apps", "DaemonSet", "daemonsets"),
    Kind("", "ReplicationController", "replicationcontrollers"),
    Kind("leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets"),
    Kind("jobset.x-k8s.io", "JobSet", "jobsets", "v1alpha2"),
    *(Kind("kubeflow.org", name, f"{name.lower()}s") for name in TRAINING_JOBS),
    Kind("kubeflow.org", "MPIJob", "mpijobs", "v2beta1"),
    Kind("trainer.kubeflow.org", "TrainJob", "trainjobs", "v1alpha1"),
    Kind("ray.io", "RayJob", "rayjobs"),
    Kind("ray.io", "RayCluster", "rayclusters"),
    Kind("kueue.x-k8s.io", "Workload", "workloads", "v1beta1"),
    Kind("scheduling.run.ai", "PodGroup", "podgroups", "v2alpha2"),
    Kind("scheduling.x-k8s.io", "PodGroup", "podgroups", "v1alpha1"),
    Kind("sparkoperator.k8s.io", "SparkApplication", "sparkapplications", "v1beta2"),
)
"""Kinds of which all objects are read. The scheduler's ConfigMap is the only other object, and asked for by name."""

SCHEDULER_CONFIG: Final = Kind(
    "",
    "ConfigMap",
    "configmaps",
    assumed="queue model and allowed evictions come from the policy or the defaults",
)
