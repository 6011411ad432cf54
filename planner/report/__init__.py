"""Reports: one set of tidy frames, rendered as tables, JSON, YAML, CSV, Markdown and HTML."""
