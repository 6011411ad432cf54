"""GET requests that are repeated where that may help: busy servers, broken connections, answers that were cut off."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from models.readers.problems import BadFile
from planner.live.patience import Patience

_BUSY: Final = frozenset({429, 500, 502, 503, 504})
_CONNECT_S: Final = 10.0
_READ_S: Final = 60.0
_LARGEST_ANSWER: Final = 2 << 30
_PIECE: Final = 1 << 20


@dataclass(frozen=True)
class Answer:
    """A whole answer, whatever its status."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def get(
    pool: Any,
    url: str,
    headers: Mapping[str, str],
    patience: Patience,
    *,
    fields: Mapping[str, str] | None = None,
) -> Answer:
    """The answer to a request; of a server that stays busy the last one.

    Parameters
    ----------
    pool
        A pool manager of urllib3.

    Raises
    ------
    BadFile
        There is no whole answer.
    KeyboardInterrupt
        Somebody wants to stop (:func:`planner.live.patience.stoppable`).
    """
    from urllib3.exceptions import HTTPError, LocationValueError, SSLError

    wait = patience.first_wait_s
    for left in reversed(range(patience.attempts)):
        try:
            answer = _once(pool, url, headers, patience, fields)
        except (SSLError, LocationValueError) as error:
            raise _unreachable(error) from None
        except (HTTPError, OSError) as error:
            if not left or _hopeless(error):
                raise _unreachable(error) from None
            pause = wait
        else:
            if answer.status not in _BUSY or not left:
                return answer
            pause = _retry_after(answer) or wait
        patience.pause(pause)
        wait *= 2
    raise AssertionError("no attempt was allowed")


def _once(
    pool: Any,
    url: str,
    headers: Mapping[str, str],
    patience: Patience,
    fields: Mapping[str, str] | None,
) -> Answer:
    from urllib3 import Timeout

    answer_s = patience.left()
    opened: list[Any] = []

    def ask() -> Answer:
        response = pool.request(
            "GET",
            url,
            fields=fields,
            headers={"Accept-Encoding": "gzip", **headers},
            preload_content=False,
            redirect=False,
            retries=False,
            timeout=Timeout(connect=min(_CONNECT_S, answer_s), read=min(_READ_S, answer_s)),
        )
        opened.append(response)
        return _whole(response)

    return patience.run(ask, lambda: _cut(opened))


def _whole(response: Any) -> Answer:
    body = bytearray()
    try:
        for piece in response.stream(_PIECE, decode_content=True):
            body += piece
            if len(body) > _LARGEST_ANSWER:
                raise BadFile(
                    "answer_too_large",
                    f"the answer is larger than {_LARGEST_ANSWER >> 30} GiB",
                    "check that the address is that of the server which was meant",
                )
    except BaseException:
        response.close()
        raise
    response.release_conn()
    return Answer(response.status, bytes(body), response.headers)


def _cut(responses: list[Any]) -> None:
    """Wake whoever waits for the rest of an answer; old versions of urllib3 cannot, their wait ends by itself."""
    for one in responses:
        with suppress(Exception):
            one.shutdown()


def _retry_after(answer: Answer) -> float:
    """Seconds that the server asks to wait; 0 where it says none that can be read."""
    said = str(answer.headers.get("Retry-After") or "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:12])
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return 0.0
    now = datetime.now(UTC)
    return max((moment.replace(tzinfo=moment.tzinfo or UTC) - now).total_seconds(), 0.0)


def _hopeless(error: Exception) -> bool:
    """A name that nobody knows, or a certificate that does not fit: asking again changes nothing."""
    from urllib3.exceptions import NameResolutionError, ProxyError, SSLError

    inner = getattr(error, "original_error", None)
    return isinstance(error, NameResolutionError) or (
        isinstance(error, ProxyError) and isinstance(inner, SSLError)
    )


def _unreachable(error: Exception) -> BadFile:
    what, remedy = _words(error)
    return BadFile("cluster_unreachable", what, remedy)


def _words(error: Exception) -> tuple[str, str]:
    from urllib3 import exceptions as faults

    if isinstance(error, faults.SSLError):
        return (
            f"the server's certificate is not accepted: {_short(error)}",
            "check the certificate authority of the context, and proxies in between",
        )
    if isinstance(error, faults.NameResolutionError):
        return (
            f"nobody knows the server's name: {_short(error)}",
            "check the address, DNS and VPN",
        )
    if isinstance(error, (faults.NewConnectionError, faults.ConnectTimeoutError)):
        return (
            f"the server cannot be reached: {_short(error)}",
            "check the address, the VPN, and that the server runs",
        )
    if isinstance(error, (faults.TimeoutError, TimeoutError)):
        return (
            f"the server does not answer in time: {_short(error)}",
            "read again when the server is less busy",
        )
    if isinstance(error, faults.LocationValueError):
        return f"the address cannot be used: {_short(error)}", "correct the address"
    return (
        f"the connection broke: {_short(error)}",
        "read again; if it stays, look for a proxy between here and the server",
    )


def _short(error: Exception) -> str:
    """The end of what urllib3 says; the objects at its start help nobody."""
    text = " ".join(str(error).split())
    text = text.rpartition(">: ")[2] if ">: " in text else text
    return text if len(text) <= 200 else f"{text[:199]}…"
