"""What a human may apply so that the cluster follows a schedule; nothing here is ever applied by the product."""
