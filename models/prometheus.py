"""A query whose answer stands for a file: where a Prometheus is, what it is asked, over which time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from models.seconds_field import Seconds

WEEK_S = 7 * 86_400


def without_password(value: object) -> str:
    """Text of a value for a message; what stands before the @ of an address is nobody's business."""
    return re.sub(r"//[^/@\s]*@", "//…@", str(value))


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("not an address such as https://prometheus.example.com:9090")
    if parts.username or parts.password:
        raise ValueError("holds a password; give a token_file")
    return text.rstrip("/")


class PrometheusQuery(BaseModel):
    """One range query.

    Attributes
    ----------
    url
        Address of the server, with a path where it has one.
    query
        PromQL; one series per service.
    step, range
        Seconds between values, and seconds of history up to now.
    token_file
        File with a bearer token; read again for every query. Relative paths count from the file that names it.
    ca_file
        Certificate authority of the server, where the machine does not know it.
    service_label
        Label whose value is the service; None takes ``service``, else the only label there is.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, AfterValidator(_address)]
    query: str = Field(min_length=1)
    step: Annotated[Seconds, Field(ge=1)] = 300
    range: Annotated[Seconds, Field(ge=60, le=53 * WEEK_S)] = 8 * WEEK_S
    token_file: str | None = None
    ca_file: str | None = None
    service_label: str | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"prometheus {urlsplit(self.url).netloc}"

    def beside(self, folder: Path) -> PrometheusQuery:
        """The query whose files are seen from the current folder; they were named in a file of ``folder``."""

        def seen(file: str | None) -> str | None:
            return None if file is None else str(folder / Path(file).expanduser())

        found = {"token_file": seen(self.token_file), "ca_file": seen(self.ca_file)}
        return self.model_copy(update=found)


class DemandQuery(BaseModel):
    """What a file says that stands for demand: ``prometheus: {url: …, query: …}``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prometheus: PrometheusQuery
