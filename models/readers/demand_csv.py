"""Demand of online services from CSV: ``time,service,gpus`` or ``time`` and one column per service; ``.gz`` too."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from typing import BinaryIO, Final

from models.demand import DemandSamples
from models.findings import InputError
from models.readers.demand_rows import SERVICE, TIME, DemandRows, input_error, value_columns
from models.readers.problems import BadFile
from models.readers.text_source import TextSource

_REMEDY: Final = "export it again as CSV with a header line"


def read_demand_csv(stream: BinaryIO, file: str) -> tuple[DemandSamples, ...]:
    """All services of an open file by name; an empty field in a table with one column per service is no value.

    Raises
    ------
    InputError
        The file or a row cannot be used; findings name file and line.
    """
    try:
        source = TextSource(stream)
        text = "".join(iter(source.read, ""))
    except BadFile as error:
        raise InputError(f"{file}: {error}", (error.finding(file),)) from None
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    rows = _numbered(reader, file)
    first = next(rows, None)
    if first is None:
        raise input_error(file, "demand_empty", "is empty", _REMEDY)
    header = [name.strip() for name in first[1]]
    columns = value_columns(header, file)
    time, service = header.index(TIME), header.index(SERVICE) if SERVICE in header else None
    found = DemandRows(file)
    for number, row in rows:
        if len(row) != len(header):
            what = f"line {number}: {len(row)} values for {len(header)} columns"
            raise input_error(file, "demand_row", what, "write one value per column")
        for place, name in columns.items():
            if name is None and service is not None:
                found.add(number, row[time], row[service], row[place])
            elif name is not None and row[place].strip():
                found.add(number, row[time], name, row[place])
    return found.finish()


def _numbered(reader: Iterator[list[str]], file: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that hold something, with their line."""
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            line = getattr(reader, "line_num", 0)
            raise input_error(file, "demand_row", f"line {line}: {error}", _REMEDY) from None
        if any(value.strip() for value in row):
            yield getattr(reader, "line_num", 0), row
