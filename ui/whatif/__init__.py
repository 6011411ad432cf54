"""Scenarios in a browser session: what is edited, asked, answered and shown."""
