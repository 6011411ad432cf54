"""Work in the background of the dashboard: plans, nights and confirmations."""
