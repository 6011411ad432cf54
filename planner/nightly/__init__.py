"""The unattended run: read, schedule, verify, and leave one dated folder."""
