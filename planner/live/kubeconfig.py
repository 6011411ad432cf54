"""Who asks which API server: a context of the kubeconfig as kubectl finds it, or the service account of a pod."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from models.findings import Finding, InputError, UsageError

POD = "the service account of this pod"
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")


def load(context: str) -> tuple[str, Any]:
    """Name and client configuration of a context; "" is the current one, or in a pod without kubeconfig its account.

    Raises
    ------
    UsageError
        The client library is not installed.
    InputError
        No such context, no usable kubeconfig, or its credentials cannot be had.
    """
    try:
        from kubernetes.client import Configuration
        from kubernetes.config import kube_config
        from kubernetes.config.config_exception import ConfigException
    except ImportError:
        raise UsageError(
            "reading a running cluster needs the Kubernetes client: install it with `pip install 'gangplan[live]'`"
        ) from None
    files = os.environ.get("KUBECONFIG") or "~/.kube/config"
    try:
        if not context and _in_pod(files):
            return POD, _of_pod(Configuration)
        contexts, current = kube_config.list_kube_config_contexts(files)
    except ConfigException as error:
        raise _fault(context, _plain(error), "check the kubeconfig: kubectl config view") from None
    except Exception as error:  # damaged YAML, unreadable files: the client passes all of it on
        what = f"the kubeconfig cannot be read: {_plain(error)}"
        raise _fault(context, what, "check the kubeconfig: kubectl config view") from None
    names = [one["name"] for one in contexts]
    name = context or (current or {}).get("name") or ""
    if name not in names:
        listed = ", ".join(names[:10]) or "none"
        what = f"there is no context {name!r}; there is: {listed}"
        raise _fault(context, what, "name one of them: kubectl config get-contexts")
    configuration = Configuration()
    with _said() as said:
        try:
            kube_config.load_kube_config(
                files, name, client_configuration=configuration, persist_config=False
            )
        except Exception as error:
            what = f"the context cannot be used: {_plain(error)}"
            raise _fault(name, what, f"try: kubectl --context {name} get nodes") from None
    if said and not configuration.api_key and not configuration.cert_file:
        what = f"there are no credentials: {said[-1]}"
        raise _fault(name, what, f"log in again, then: kubectl --context {name} get nodes")
    return name, configuration


def plugin_is_silent(context: str, seconds: float) -> InputError:
    """The credentials of a context are not there in time; only plugins can take long."""
    what = f"the credential plugin has not answered within {seconds:g} s"
    return _fault(context, what, f"log in first: kubectl --context {context or '…'} get nodes")


def _in_pod(files: str) -> bool:
    found = any(Path(one).expanduser().is_file() for one in files.split(os.pathsep) if one)
    return not found and bool(os.environ.get("KUBERNETES_SERVICE_HOST"))


def _of_pod(make: Any) -> Any:
    from kubernetes.config import load_incluster_config

    configuration = make()
    load_incluster_config(configuration)
    return configuration


@contextmanager
def _said() -> Iterator[list[str]]:
    """What the client logs: it says there why a credential plugin failed, and raises nothing."""
    said: list[str] = []
    root = logging.getLogger()
    others = root.handlers[:]

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if (
                record.name == root.name
            ):  # as the client does it; everybody else has a logger of his own
                said.append(" ".join(record.getMessage().split())[:300])
            else:
                for one in others:
                    one.handle(record)

    root.handlers[:] = [Keep()]
    try:
        yield said
    finally:
        root.handlers[:] = others


def _plain(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else f"{text[:299]}…"


def _fault(context: str, what: str, remedy: str) -> InputError:
    name = f"cluster:{context}" if context else "cluster of the current context"
    return InputError(f"{name}: {what}", [Finding("cluster_context", "error", name, what, remedy)])
