"""Requests that are repeated while that may help, within the time of the caller."""

from __future__ import annotations

import math
from typing import NoReturn

from . import _retry
from ._network import Network
from ._transport import Answer, Operation, Transport
from .errors import DeadlineError, HelveError, RequestError


class Requester:
    """Sends operations. ``retry_for`` is the time in seconds that the server may be away before a
    request fails; with 0 nothing is sent a second time."""

    def __init__(self, network: Network, transport: Transport, retry_for: float, timeout: float | None) -> None:
        self.network = network
        self.transport = transport
        self.retry_for = retry_for
        self._timeout = timeout

    def end(self, timeout: float | None) -> float:
        """Returns the time at which the caller's ``timeout`` ends, or the client's."""
        chosen = self._timeout if timeout is None else timeout
        return math.inf if chosen is None else self.network.now() + chosen

    async def ask(self, op: Operation, end: float) -> Answer:
        """Returns the answer to an operation, which is sent again while that may help."""
        began = self.network.now()
        attempt = 0
        while True:
            try:
                return await self.once(op, end)
            except RequestError as error:
                if not self.again(error, began):
                    raise
                await self.pause(attempt, error, end)
            attempt += 1

    async def once(self, op: Operation, end: float) -> Answer:
        """Sends an operation, and waits for its answer until ``end`` at most."""
        until = min(end, self.network.now() + op.patience)
        try:
            return await self.transport.request(op, until)
        except TimeoutError as error:
            self.late(error, end)

    def late(self, error: TimeoutError, end: float) -> NoReturn:
        """Raises the error of an operation that ran out of time: the caller's, or the server's."""
        if self.network.now() >= end:
            raise deadline(None) from error
        raise self.transport.silent() from error

    def again(self, error: RequestError, since: float) -> bool:
        """Reports whether an operation that failed should be sent again, if the server did not
        answer since a time."""
        return _retry.retryable(error) and not self.overdue(since)

    def overdue(self, since: float) -> bool:
        """Reports whether the server was away for longer than retries last."""
        return self.network.now() - since >= self.retry_for

    async def pause(self, attempt: int, error: RequestError, end: float) -> None:
        """Waits before the next attempt; when ``end`` comes first, raises the error of the last one."""
        if not await self.wait(_retry.backoff(attempt, error.retry_after), end):
            raise deadline(error) from error

    async def wait(self, seconds: float, end: float) -> bool:
        """Waits, and reports whether that time passed before ``end``."""
        left = end - self.network.now()
        await self.network.sleep(max(min(seconds, left), 0))
        return seconds < left


def deadline(last: HelveError | None) -> DeadlineError:
    """Returns the error for the end of the caller's time, with the last failure if there was one."""
    if last is None:
        return DeadlineError("the timeout ended before the answer came")
    return DeadlineError(f"the timeout ended; the last attempt failed: {last}")
