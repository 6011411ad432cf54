"""Demand from Parquet, through pyarrow (extra ``parquet``)."""

from __future__ import annotations

from typing import Any, BinaryIO, Final

from models.demand import DemandSamples
from models.readers.demand_rows import SERVICE, TIME, DemandRows, input_error, value_columns

PARQUET_MAGIC: Final = b"PAR1"


def read_demand_parquet(stream: BinaryIO, file: str) -> tuple[DemandSamples, ...]:
    """All services of an open file by name; columns as in CSV, times as timestamps, text or seconds.

    Raises
    ------
    InputError
        pyarrow is missing, or the file or a row cannot be used; findings name file and row.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise input_error(
            file,
            "demand_parquet",
            "is a Parquet file, and pyarrow is not installed",
            "install gangplan[parquet], or give the demand as CSV",
        ) from None
    try:
        table = parquet.ParquetFile(stream).read()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        what = f"is no readable Parquet file: {str(error).splitlines()[0][:160]}"
        raise input_error(file, "demand_parquet", what, "export it again") from None
    header = [name.strip() for name in table.column_names]
    columns = value_columns(header, file)
    times = _values(table, header.index(TIME))
    services = _values(table, header.index(SERVICE)) if SERVICE in header else None
    found = DemandRows(file, "row")
    for place, name in columns.items():
        for number, value in enumerate(_values(table, place), 1):
            if name is None and services is not None:
                found.add(number, times[number - 1], str(services[number - 1] or ""), value)
            elif name is not None and value is not None:
                found.add(number, times[number - 1], name, value)
    return found.finish()


def _values(table: Any, column: int) -> list[Any]:
    """Python values of a column; nanoseconds that a datetime cannot hold are cut off."""
    import pyarrow

    values = table.column(column)
    kind = values.type
    if pyarrow.types.is_timestamp(kind) and kind.unit == "ns":
        values = values.cast(pyarrow.timestamp("us", tz=kind.tz), safe=False)
    if pyarrow.types.is_dictionary(kind):
        values = values.combine_chunks().dictionary_decode()
    found: list[Any] = values.to_pylist()
    return found
