"""Why a gang waits."""
