"""Pieces that pages are made of: head, tables, charts, downloads."""
