"""``python -m planner.cli``."""

from planner.cli.main import main

main()
