"""A network of two ends that can be cut: one end here, the other in a network namespace of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from tests.schedulers.fixtures import missing

_ADDRESSES = "10.213.77.{}/30"
_BLOCK = 4  # addresses of a network


def _ip(*words: str, inside: int | None = None) -> None:
    prefix = ["nsenter", f"--net=/proc/{inside}/ns/net"] if inside else []
    subprocess.run([*prefix, "ip", *words], check=True, capture_output=True)


@dataclass(frozen=True)
class SeverableNetwork:
    """Two ends of a network.

    Parameters
    ----------
    interface, address
        Of the end in this namespace.
    namespace
        File of the namespace of the other end, for `nsenter --net`.
    """

    interface: str
    address: str
    namespace: str

    def cut(self) -> None:
        """Carry nothing any more; connections are not closed."""
        _ip("link", "set", self.interface, "down")

    def heal(self) -> None:
        """Carry everything again."""
        _ip("link", "set", self.interface, "up")


@contextlib.contextmanager
def severable_network(number: int = 0) -> Iterator[SeverableNetwork]:
    """Make a network, of several the one of a number; where that cannot be, as `missing` says."""
    needs = [name for name in ("ip", "nsenter", "unshare") if shutil.which(name) is None]
    missing([f"apt-get install iproute2 util-linux, for {', '.join(needs)}"] if needs else [])
    # It ends with its standard input, so that a killed test leaves no namespace behind.
    words = ["unshare", "--net", "sh", "-c", "echo ready; exec cat"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        missing([] if holder.stdout.readline() == "ready\n" else ["only root may make network namespaces"])
        name = f"cut{number}-{os.getpid()}"
        ours, theirs = (_ADDRESSES.format(_BLOCK * number + end) for end in (1, 2))
        try:
            _ip("link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b")
        except subprocess.CalledProcessError as error:
            holder.terminate()
            missing([f"no pair of virtual interfaces here: {error.stderr.decode().strip()}"])
        try:
            _ip("link", "set", f"{name}b", "netns", str(holder.pid))
            _ip("addr", "add", ours, "dev", f"{name}a")
            _ip("link", "set", f"{name}a", "up")
            for words in (
                ["link", "set", "lo", "up"],
                ["addr", "add", theirs, "dev", f"{name}b"],
                ["link", "set", f"{name}b", "up"],
                ["route", "add", "default", "via", ours.partition("/")[0]],  # to all addresses of this end
            ):
                _ip(*words, inside=holder.pid)
            yield SeverableNetwork(f"{name}a", ours.partition("/")[0], f"/proc/{holder.pid}/ns/net")
        finally:
            subprocess.run(["ip", "link", "delete", f"{name}a"], check=False, capture_output=True)
            holder.terminate()
