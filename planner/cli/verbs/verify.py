"""``gangplan verify``: the independent check of any plan."""

from __future__ import annotations

from typing import Annotated

import typer

from models.findings import UsageError
from planner.cli.exit_codes import VERIFICATION_FAILED
from planner.cli.option_groups import SNAPSHOT_HELP, OutputOptions, PolicyOptions, TalkOptions
from planner.cli.sink import write_data
from planner.cli.talk import Talk

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="SNAPSHOT... PLAN",
        help=f"First the snapshot ({SNAPSHOT_HELP[0].lower()}{SNAPSHOT_HELP[1:-1]}), last the plan document.",
        show_default=False,
    ),
]


Prove = Annotated[
    bool,
    typer.Option(
        "--prove",
        help="Search again and compare bounds and reasons; takes as long as planning.",
        show_default=False,
    ),
]


def verify(
    paths: Paths,
    policy: PolicyOptions,
    output: OutputOptions,
    talking: TalkOptions,
    prove: Prove = False,
) -> int:
    """Check a plan, schedule or drill against the snapshot, also one written by hand.

    Without --policy and --set-policy the keys that the plan document says were set apply.
    """
    from planner.problem.limits import Limits
    from planner.usecases.verification import verify_plan
    from planner.usecases.verification_report import verification_report

    if len(paths) < 2:
        raise UsageError("name the snapshot and then the plan: gangplan verify SNAPSHOT... PLAN")
    if paths[-1] == "-" and "-" in paths[:-1]:
        raise UsageError("only one of snapshot and plan can come from standard input")
    talk = Talk(talking)
    result = verify_plan(
        paths[:-1],
        paths[-1],
        policy_file=policy.policy,
        assignments=policy.set_policy or (),
        allow_incomplete=policy.allow_incomplete,
        prove=Limits() if prove else None,
    )
    for warning in result.warnings:
        talk.note(f"warning: {warning}")
    write_data(verification_report(result), output, talk)
    return VERIFICATION_FAILED if result.violations else 0
