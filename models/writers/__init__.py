"""Writers: snapshots to files."""
