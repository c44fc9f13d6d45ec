"""Work done on a cluster, or on this machine's cores, through Ray. The one module that imports it."""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import ray
import ray.exceptions

from rules.counts import Tables
from rules.errors import WorldModelError
from worldmodel.learning import Counter

AHEAD = 2
"""So many chunks a core are under way."""


class Cluster:
    """A connection to Ray. The results (counts, episodes) come in the order of the chunks (of episodes;
    games); what was lost with a worker that died is done again, that piece only.

    address: of a running cluster (``auto``, ``ray://host:10001``), or ``local``: a new one on this machine.
    """

    def __init__(self, address: str = "local") -> None:
        try:
            _knock(address)
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            reason = str(error).split("\n")[0]
            raise WorldModelError(
                f"no Ray at {address!r}: {reason}; expected a cluster, or `local`"
            ) from error

    def __call__(self, begin: Callable[[], Counter], chunks: Iterable[Sequence[Any]]) -> Iterator[Tables]:
        work, shared = ray.remote(max_retries=3)(_count), ray.put(begin)
        resources: Any = ray.cluster_resources  # has no types
        ahead = AHEAD * max(1, int(resources().get("CPU", 1)))
        pending: deque[Any] = deque()
        for chunk in chunks:
            pending.append(work.remote(shared.hex(), shared, chunk))
            if len(pending) >= ahead:
                yield _result(pending.popleft())
        while pending:
            yield _result(pending.popleft())

    def close(self) -> None:
        """Disconnects, and stops a local cluster."""
        ray.shutdown()


def _knock(address: str) -> None:
    """Raises `OSError` where nobody answers, for which Ray itself would wait several minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


def _result(reference: Any) -> Tables:
    try:
        tables: Tables = ray.get(reference)
        return tables
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        reason = str(error).split("\n")[0]
        raise WorldModelError(f"Ray lost a piece of the work: {reason}; run it again") from error


_begun: tuple[str, Counter] | None = None
"""In a worker's process: what does the pieces of work of one call, and of which."""


def _count(key: str, begin: Callable[[], Counter], chunk: Sequence[Any]) -> Tables:
    global _begun
    if _begun is None or _begun[0] != key:
        _begun = key, begin()
    return _begun[1](chunk)
