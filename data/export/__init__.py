"""Parts of the made-up export of a real-looking Volcano cluster (see ``data/make_export.py``)."""
