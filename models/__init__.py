"""Frozen values that describe a cluster, a policy and a plan; readers and writers for them."""
