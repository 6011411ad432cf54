"""Readers: any supported input to one snapshot."""
