"""What is told about online services and their demand when loans of their GPUs are planned."""

from __future__ import annotations

from models.checks.check import Check

LENDING = (
    Check(
        "demand_forecast",
        "info",
        "What the forecast of a service rests on, where it is less than a tried margin.",
        "give two days of measured demand or more (docs/lending.md)",
        noun="services",
        phrase="have a forecast without a tried margin",
    ),
    Check(
        "demand_incomplete",
        "warning",
        "Demand from a Prometheus has gaps, is shorter than asked for, ended before now, or was answered in part.",
        "look at the query's graph over its whole range in Prometheus",
        noun="notes",
        phrase="say what the demand from Prometheus lacks",
    ),
    Check(
        "demand_above_owned",
        "warning",
        "The demand of a service exceeds the GPUs reserved for it, so it will be short whatever is lent.",
        "raise `reserved_gpus` of the service, or expect it to be short",
        noun="services",
        phrase="need more GPUs than are reserved for them",
    ),
    Check(
        "reserved_above_pool",
        "warning",
        "More GPUs are reserved for a service than its pools have; the pools' GPUs count.",
        "check pools and `reserved_gpus` of the service, and the unit of the demand",
        noun="services",
        phrase="reserve more GPUs than their pools have",
    ),
    Check(
        "service_without_pool",
        "warning",
        "A service has no pods with GPUs and names no pool; its demand is not planned for.",
        "name its pools, selector or queue in the policy (services)",
        noun="services",
        phrase="have no pool",
    ),
)

_ROWS = "correct the rows that the message names by line"

DEMAND_REFUSALS = (
    Check(
        "demand_empty",
        "error",
        "A demand file holds no demand.",
        "give columns time, service, gpus and one row per time and service",
    ),
    Check(
        "demand_columns",
        "error",
        "A demand file lacks a column, or names one twice.",
        "begin with time,service,gpus or time and one column per service",
    ),
    Check("demand_row", "error", "A row of a demand file has too many or too few values.", _ROWS),
    Check(
        "demand_time", "error", "A time of a demand file is none, or the kinds are mixed.", _ROWS
    ),
    Check("demand_gpus", "error", "A demand is no number of GPUs, 0 or more.", _ROWS),
    Check("demand_twice", "error", "A demand file tells of one time or service twice.", _ROWS),
    Check("demand_more", "error", "More rows of a demand file are wrong than are listed.", _ROWS),
    Check(
        "demand_service",
        "error",
        "A demand file names no service or a bad one, and it is not clear which is meant.",
        "add a column service with names of the policy's services",
    ),
    Check(
        "demand_query",
        "error",
        "A file names a query of a Prometheus in a way that cannot be read.",
        "write prometheus: {url, query, step, range, token_file}",
    ),
    Check(
        "prometheus_unreachable",
        "error",
        "A Prometheus cannot be reached, or does not accept the token.",
        "check url, token_file and ca_file",
    ),
    Check(
        "prometheus_refused",
        "error",
        "A Prometheus refuses the query; its words are quoted.",
        "try the query in the server's own page",
    ),
    Check(
        "prometheus_answer",
        "error",
        "The answer is not that of a Prometheus.",
        "check url and proxies in between",
    ),
    Check("prometheus_empty", "error", "The query gives no value.", "check the query"),
    Check(
        "prometheus_labels",
        "error",
        "It is not clear which series belongs to which service.",
        "write sum by (LABEL) (…), or name the label with service_label",
    ),
    Check(
        "demand_parquet",
        "error",
        "A Parquet file is damaged, or pyarrow is not installed.",
        "install gangplan[parquet], or give CSV",
    ),
)
"""These end a run with exit code 3."""
