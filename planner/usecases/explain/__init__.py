"""Why a gang waits and what would start it, each change planned before it is told."""
