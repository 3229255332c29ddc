"""The input and output that the client needs, as an interface.

The logic of the client is written once, as coroutines over this interface. For the
:class:`~helve.AsyncClient` they run on asyncio streams (``_asyncio``). For the
:class:`~helve.Client` every operation blocks and never suspends (``_blocking``), so that
:func:`~helve._blocking.run` can drive a coroutine to its end without an event loop and without a
thread. Neither needs more than the standard library, and an interrupted wait, by a cancelled task
or by ``KeyboardInterrupt``, is an exception at the operation, which closes its connection.

Times are seconds of a monotonic clock; an operation that has not ended at its ``until`` raises
``TimeoutError``. Other failures are ``OSError``.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Stream(Protocol):
    """A connection to a server."""

    async def receive(self, most: int, until: float) -> bytes:
        """Returns the next bytes, at most ``most``; none means the end of the stream."""

    async def send(self, data: bytes, until: float) -> None:
        """Sends all of ``data``."""

    def idle(self) -> bool:
        """Reports whether the server has neither sent anything nor closed the connection."""

    def abort(self) -> None:
        """Closes the connection; operations in progress fail."""


class Network(Protocol):
    """Connections and the clock."""

    def now(self) -> float:
        """Returns the time of the monotonic clock."""

    async def sleep(self, seconds: float) -> None:
        """Waits."""

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, until: float) -> Stream:
        """Returns a new connection."""

    async def compute(self, function: Callable[[], T]) -> T:
        """Returns the value of a function that may block, such as the read of a file."""

    async def settle(self) -> None:
        """Waits until aborted connections are closed."""
