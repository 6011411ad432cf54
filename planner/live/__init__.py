"""What is read over the network, and nothing is ever written: the API server of a cluster, and Prometheus."""
