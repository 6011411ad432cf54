"""From a run, its plan and its snapshot to what the history keeps."""
