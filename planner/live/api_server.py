"""One API server: paths in, whole answers out, with credentials that are renewed once when they are refused."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode

from models.readers.problems import BadFile
from planner.live.kubeconfig import load, plugin_is_silent
from planner.live.patience import Patience, TooLate
from planner.live.transport import Answer, get

_REFUSED: Final = 401


class ApiServer:
    """The API server of a context ("": see :func:`planner.live.kubeconfig.load`); it is asked with GET only.

    Attributes
    ----------
    context
        Name of the context, or what stands for it in a pod.

    Raises
    ------
    InputError, UsageError
        As :func:`planner.live.kubeconfig.load`.
    """

    def __init__(self, context: str = "", *, patience: Patience | None = None) -> None:
        self._asked_for, self._patience = context, (patience or Patience()).begun()
        self._log_in()

    def get(self, path: str, **query: str) -> Answer:
        """The answer to a path.

        Raises
        ------
        BadFile
            No whole answer, credentials that are not accepted even when renewed, or an answer that no API server gives.
        """
        answer = self._ask(path, query)
        if answer.status == _REFUSED:
            self._log_in()  # a token that expired meanwhile; plugins are run again
            answer = self._ask(path, query)
        if answer.status == _REFUSED:
            raise BadFile(
                "cluster_credentials",
                f"the API server does not accept the credentials of {self.context} (401)",
                "log in again; `kubectl auth whoami` tells whether it worked",
            )
        if 300 <= answer.status < 400:
            to = str(answer.headers.get("Location") or "nowhere")[:200]
            raise _no_api_server(f"it redirects {path} to {to}")
        if answer.status == 200 and answer.body.lstrip()[:1] != b"{":
            kind = answer.headers.get("Content-Type") or "an unknown type"
            raise _no_api_server(f"it answers {path} with {kind}, not with JSON")
        return answer

    @cached_property
    def version(self) -> str:
        """Version of the server as it tells it, "" where it does not."""
        found = document(self.get("/version")).get("gitVersion")
        return found if isinstance(found, str) and found.isprintable() else ""

    @property
    def known_version(self) -> str:
        """The version, "" also where the server cannot be asked."""
        try:
            return self.version
        except BadFile:
            return ""

    @property
    def address(self) -> str:
        """Where the server is."""
        return str(self._configuration.host)

    def _ask(self, path: str, query: dict[str, str]) -> Answer:
        url = f"{self._configuration.host.rstrip('/')}{path}"
        headers = {"Accept": "application/json", "User-Agent": "gangplan"}
        for setting in self._configuration.auth_settings().values():
            if setting.get("in") == "header" and setting.get("value"):
                headers[setting["key"]] = setting["value"]
        return get(
            self._pool, f"{url}?{urlencode(query)}" if query else url, headers, self._patience
        )

    def _log_in(self) -> None:
        try:  # a plugin may wait for a person who is not there
            self.context, self._configuration = self._patience.run(
                lambda: load(self._asked_for), lambda: None
            )
        except TooLate:
            raise plugin_is_silent(self._asked_for, self._patience.answer_s) from None
        from kubernetes.client import ApiClient  # there, or the line above has said that it is not

        if (
            not self._configuration.verify_ssl
        ):  # the kubeconfig says so; kubectl does not warn either
            from urllib3 import disable_warnings
            from urllib3.exceptions import InsecureRequestWarning

            disable_warnings(InsecureRequestWarning)
        self._pool = ApiClient(self._configuration).rest_client.pool_manager


def document(answer: Answer) -> dict[str, Any]:
    """The JSON object of a small answer, {} where it is none or tells of a failure."""
    if answer.status != 200:
        return {}
    try:
        found = json.loads(answer.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def reason(answer: Answer) -> str:
    """What the server says of a failure, else its status."""
    try:
        said = json.loads(answer.body).get("message")
    except (ValueError, AttributeError):
        said = None
    text = " ".join(said.split()) if isinstance(said, str) else ""
    text = text if text.isprintable() else ascii(text)
    return f"{text[:300]} ({answer.status})" if text else f"status {answer.status}"


def _no_api_server(what: str) -> BadFile:
    return BadFile(
        "cluster_answer",
        f"this is no API server: {what}",
        "check the address of the context and proxies in between; perhaps you have to log in first",
    )
