"""The unattended run: what its configuration file says and what ``run.json`` tells."""
