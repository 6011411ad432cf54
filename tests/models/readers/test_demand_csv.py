from __future__ import annotations

import gzip
from io import BytesIO

import pytest

from models.demand import DemandSamples
from models.findings import InputError
from models.readers.demand_csv import read_demand_csv

NOON = 1787227200  # 2026-08-20T12:00:00Z


def _read(text: str | bytes) -> tuple[DemandSamples, ...]:
    data = text.encode() if isinstance(text, str) else text
    return read_demand_csv(BytesIO(data), "demand.csv")


def _faults(text: str | bytes):
    with pytest.raises(InputError) as caught:
        _read(text)
    assert caught.value.exit_code == 3
    assert all(one.object == "demand.csv" and one.remedy for one in caught.value.findings)
    return caught.value.findings


def test_times_in_any_zone_become_epoch_seconds_in_order():
    (chat,) = _read(
        "time,service,gpus\n"
        "2026-08-20T14:05:00+02:00,chat,7\n"
        "2026-08-20T12:00:00Z,chat,5\n"
        "2026-08-20 12:10:00,chat,6.2\n"
    )
    assert chat.seconds == (NOON, NOON + 300, NOON + 600)
    assert chat.gpus == (5, 7, 7)  # parts of a GPU are rounded up
    assert not chat.relative
    assert chat.source == "demand.csv"


def test_columns_in_any_order_and_gzip_and_a_byte_order_mark():
    text = "\ufeffgpus,time,service\r\n3,0,a\r\n4,300,a\r\n\r\n1,0,b\r\n"
    found = _read(gzip.compress(text.encode()))
    assert [(one.service, one.seconds, one.gpus) for one in found] == [
        ("a", (0, 300), (3, 4)),
        ("b", (0,), (1,)),
    ]
    assert found[0].relative


def test_one_column_per_service_with_gaps():
    found = _read("time,chat,search\n0,1,9\n60,,8\n120,3,\n")
    assert [(one.service, one.seconds) for one in found] == [
        ("chat", (0, 120)),
        ("search", (0, 60)),
    ]


def test_a_file_without_a_service_column_belongs_to_the_only_service():
    (one,) = _read("time,gpus\n0,1\n")
    assert one.service == ""


def test_seconds_of_the_calendar_are_not_relative():
    (one,) = _read(f"time,service,gpus\n{NOON},a,1\n")
    assert not one.relative
    assert one.seconds == (NOON,)


def test_equal_rows_are_one_and_different_ones_a_fault_with_both_lines():
    (one,) = _read("time,service,gpus\n0,a,1\n0,a,1\n")
    assert one.gpus == (1,)
    (fault,) = _faults("time,service,gpus\n0,a,1\n0,a,2\n")
    assert fault.code == "demand_twice"
    assert "line 3" in fault.message
    assert "line 2" in fault.message


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "demand_empty", "is empty"),
        ("\n\n", "demand_empty", "is empty"),
        ("time,service,gpus\n", "demand_empty", "holds no demand"),
        ("when,service,gpus\n0,a,1\n", "demand_columns", "no column time (found: when, service"),
        ("time,service\n0,a\n", "demand_columns", "no column gpus"),
        ("time\n0\n", "demand_columns", "no column beside time"),
        ("time,a,a\n0,1,1\n", "demand_columns", "equal column names"),
        ("time,service,gpus\n0,a\n", "demand_row", "line 2: 2 values for 3 columns"),
        ("time,service,gpus\nnoon,a,1\n", "demand_time", "line 2: 'noon' is not a time"),
        ("time,service,gpus\n0,a,-1\n", "demand_gpus", "line 2: '-1' is not a number of GPUs"),
        ("time,service,gpus\n0,a,nan\n", "demand_gpus", "'nan' is not a number"),
        ("time,service,gpus\n0,a,\n", "demand_gpus", "'' is not a number"),
        ("time,service,gpus\n0,a,1e99\n", "demand_gpus", "'1e99' is not a number"),
        ("time,service,gpus\n-5,a,1\n", "demand_time", "'-5' is not a time"),
        ("time,service,gpus\n0,a\x07,1\n", "demand_service", "is no service name"),
        ("time,service,gpus\n0,a,1\n2026-08-20T12:00:00Z,a,1\n", "demand_time", "mixed"),
        ('time,service,gpus\n0,"a,1\n', "demand_row", "line 2"),
        (b"\x00\x01\x02" * 50, "format_unknown", "binary"),
        (b"\x1f\x8b\x08\x00broken", "file_damaged", "gzip"),
        (b"time,service,gpus\n0,\xff\xfe,1\n", "file_damaged", "UTF-8"),
    ],
)
def test_bad_files_are_told_with_line_and_remedy(text, code, words):
    found = _faults(text)
    assert found[0].code == code
    assert words in found[0].message


def test_many_bad_rows_are_counted_not_listed():
    found = _faults("time,service,gpus\n" + "x,a,1\n" * 9)
    assert len(found) == 6
    assert found[-1].message == "4 more rows cannot be used either"
