"""One module per verb: parse, call a use case, write."""
