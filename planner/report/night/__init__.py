"""The report of a night: for everybody, or cut for one reader."""
