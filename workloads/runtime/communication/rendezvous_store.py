"""The key-value store of an instance's supervisor, through which its ranks find each other."""

from __future__ import annotations

import http.client
import os
import socket
import time
from urllib.parse import quote

from workloads.runtime.communication import RankLost

_POLL_SECONDS = 0.02
_ANSWER_SECONDS = 60
_OK, _NOT_FOUND = 200, 404
_STORE = ("HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_GLOO_RENDEZVOUS_PORT", "HOROVOD_GLOO_IFACE")


class RendezvousStore:
    """The supervisor's key-value store over HTTP.

    Parameters
    ----------
    address, port
        Where it listens.
    timeout_seconds
        How long `get` waits for a key.
    scope
        Path under which the keys lie, so that two libraries use one store.
    """

    def __init__(self, address: str, port: int, timeout_seconds: float, scope: str) -> None:
        self.address, self.timeout_seconds = address, timeout_seconds
        self._port, self._scope = port, scope

    @classmethod
    def of_environment(cls, scope: str) -> RendezvousStore:
        """Return the store of this instance; raises `RuntimeError` where the environment names none."""
        missing = [name for name in _STORE if not os.environ.get(name)]
        if missing:
            raise RuntimeError(f"{', '.join(missing)} not set: the supervisor sets them for several ranks")
        address, port, _ = (os.environ[name] for name in _STORE)
        return cls(address, int(port), float(os.environ.get("HOROVOD_GLOO_TIMEOUT_SECONDS", "120")), scope)

    def put(self, key: str, value: bytes) -> None:
        """Keep a value."""
        self._ask("PUT", key, value)

    def get(self, key: str) -> bytes:
        """Return a value once another rank has put it.

        Raises
        ------
        RankLost
            If that takes longer than the timeout.
        """
        end = time.monotonic() + self.timeout_seconds
        while (value := self._ask("GET", key)) is None:
            if time.monotonic() >= end:
                raise RankLost(
                    f"another rank did not come to the rendezvous within {self.timeout_seconds:g} s; look "
                    "for the cause in the other ranks' errors"
                )
            time.sleep(_POLL_SECONDS)
        return value

    def own_address(self) -> str:
        """Return the address of this node from which the store is reached."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # nothing is sent
            probe.connect((self.address, self._port))
            return str(probe.getsockname()[0])

    def _ask(self, method: str, key: str, value: bytes | None = None) -> bytes | None:
        connection = http.client.HTTPConnection(self.address, self._port, timeout=_ANSWER_SECONDS)
        try:
            connection.request(method, f"{self._scope}/{quote(key, safe='')}", body=value)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status not in (_OK, _NOT_FOUND):
            raise RuntimeError(f"the rendezvous answered {method} of {key} with {answer.status}")
        return body if answer.status == _OK else None
