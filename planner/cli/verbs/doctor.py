"""``gangplan doctor``: what is installed and what this machine gives."""

from __future__ import annotations

from planner.cli.exit_codes import CANNOT_RUN
from planner.cli.option_groups import OutputOptions, TalkOptions
from planner.cli.sink import write_data
from planner.cli.talk import Talk


def doctor(output: OutputOptions, talking: TalkOptions) -> int:
    """Versions, solvers found, cores, memory and extras."""
    from planner.usecases.environment import examine
    from planner.usecases.environment_report import environment_report

    environment = examine()
    write_data(environment_report(environment), output, Talk(talking))
    return 0 if environment.can_plan else CANNOT_RUN
