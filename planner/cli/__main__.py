"""``python -m planner.cli``."""

from planner.cli.main import main

if __name__ == "__main__":  # a search's child process imports this module again
    main()
