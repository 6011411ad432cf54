"""One module per output format; each holds a ``FORMAT``. A new format is one new file here."""
