"""Exact enumeration of tiny snapshots: what the default objective's best plan is worth, without a solver.

Written from the text of the conformance rules alone and independent of the planner's preparation, formulations and
verifier, so that a test can hold both against each other. Cost grows exponentially with gangs and pods: a handful of
nodes, five waiting gangs and a dozen pods are meant.
"""
