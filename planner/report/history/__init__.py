"""The documents of the history made ready for every format."""
