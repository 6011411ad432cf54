"""Several clusters planned in one run, made ready for every format."""
