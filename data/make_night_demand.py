"""Write the demand of the night sample: two weeks of the chat service, every half hour, until the snapshot's time.

Usage: ``python data/make_night_demand.py [FILE]``; without a file it rewrites ``planner/samples/night-demand.csv``.
By day the service needs up to 36 of its 40 GPUs, at weekends two thirds of that, by night 5.
"""

from __future__ import annotations

import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "planner" / "samples" / "night-demand.csv"
END = datetime(2026, 9, 15, 3, tzinfo=UTC)
STEP = timedelta(minutes=30)
DAYS, SEED = 14, 15
NIGHT_GPUS, DAY_GPUS, WEEKEND_GPUS = 5, 33, 22
RISE, FALL = (6.0, 9.0), (20.0, 23.0)
"""Hours of the day (UTC) between which demand rises and falls."""


def demand_text() -> str:
    """The file: ``time,service,gpus``."""
    rng = random.Random(SEED)
    rows = ["time,service,gpus"]
    moment = END - timedelta(days=DAYS)
    while moment < END:
        text = moment.isoformat().replace("+00:00", "Z")
        rows.append(f"{text},chat,{_level(moment) + rng.choice((0, 0, 1, 1, 2, 3))}")
        moment += STEP
    return "\n".join(rows) + "\n"


def _level(moment: datetime) -> int:
    hour = moment.hour + moment.minute / 60
    by_day = WEEKEND_GPUS if moment.weekday() >= 5 else DAY_GPUS
    return NIGHT_GPUS + round((by_day - NIGHT_GPUS) * _between(hour))


def _between(hour: float) -> float:
    """0 by night, 1 by day, and what lies between."""
    up = min(1.0, max(0.0, (hour - RISE[0]) / (RISE[1] - RISE[0])))
    down = min(1.0, max(0.0, (FALL[1] - hour) / (FALL[1] - FALL[0])))
    return min(up, down)


def main(arguments: list[str]) -> int:
    """Write the file."""
    target = Path(arguments[0]) if arguments else TARGET
    target.write_text(demand_text(), encoding="utf-8")
    print(f"wrote {target.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
