"""GPU cards that pods share: what a node has, what a pod asks of a card, which card it holds."""
