#!/bin/sh
# Print what gangplan reads of a cluster: one JSON document per kind, on standard output. Needs get and list only.
# A kind that the cluster does not have is left out; everything else that goes wrong ends with 1.
set -u

failed=$(mktemp) || exit 1
trap 'rm -f "$failed"' EXIT

print() {
  if kubectl get "$@" -o json --request-timeout=2m 2>"$failed"; then
    return
  fi
  if grep -q -e "the server doesn't have a resource type" -e "could not find the requested resource" -e "(NotFound)" "$failed"; then
    echo "left out: $1 (this cluster has none)" >&2
    return
  fi
  cat "$failed" >&2
  exit 1
}

print nodes
print pods -A
print podgroups.scheduling.volcano.sh -A
print queues.scheduling.volcano.sh
print jobs.batch.volcano.sh -A
print hypernodes.topology.volcano.sh
print priorityclasses.scheduling.k8s.io
print poddisruptionbudgets.policy -A
print jobs.batch -A
print deployments.apps -A
print replicasets.apps -A
print statefulsets.apps -A
print daemonsets.apps -A
print replicationcontrollers -A
print leaderworkersets.leaderworkerset.x-k8s.io -A
print jobsets.jobset.x-k8s.io -A
print pytorchjobs.kubeflow.org -A
print tfjobs.kubeflow.org -A
print xgboostjobs.kubeflow.org -A
print paddlejobs.kubeflow.org -A
print mxjobs.kubeflow.org -A
print jaxjobs.kubeflow.org -A
print mpijobs.kubeflow.org -A
print trainjobs.trainer.kubeflow.org -A
print workloads.kueue.x-k8s.io -A
print podgroups.scheduling.run.ai -A
print podgroups.scheduling.x-k8s.io -A
print rayjobs.ray.io -A
print rayclusters.ray.io -A
print sparkapplications.sparkoperator.k8s.io -A
print configmap -n "${VOLCANO_NAMESPACE:-volcano-system}" "${VOLCANO_CONFIG:-volcano-scheduler-configmap}"
