"""The network of asyncio programs: its streams and its clock."""

from __future__ import annotations

import asyncio
import math
import socket
import ssl
import time
from collections.abc import Callable
from typing import TypeVar

from ._blocking import keep_alive

T = TypeVar("T")


class AsyncStream:
    """A connection over asyncio streams."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self, most: int, until: float) -> bytes:
        """Returns the next bytes."""
        async with asyncio.timeout(_left(until)):
            return await self._reader.read(most)

    async def send(self, data: bytes, until: float) -> None:
        """Sends all of ``data``, as fast as the server reads it."""
        async with asyncio.timeout(_left(until)):
            self._writer.write(data)
            await self._writer.drain()

    def idle(self) -> bool:
        """Reports whether the connection is open."""
        return not (self._reader.at_eof() or self._writer.transport.is_closing())

    def abort(self) -> None:
        """Closes the connection."""
        self._writer.transport.abort()


class AsyncNetwork:
    """The streams and the clock of asyncio."""

    def now(self) -> float:
        """Returns the time of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits, and lets other tasks run."""
        await asyncio.sleep(seconds)

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, until: float) -> AsyncStream:
        """Returns a new connection."""
        name = host if tls is not None else None
        async with asyncio.timeout(_left(until)):
            reader, writer = await asyncio.open_connection(host, port, ssl=tls, server_hostname=name)
        sock = writer.get_extra_info("socket")
        if sock is not None and sock.family != getattr(socket, "AF_UNIX", None):
            keep_alive(sock)
        return AsyncStream(reader, writer)

    async def compute(self, function: Callable[[], T]) -> T:
        """Calls the function in a thread."""
        return await asyncio.to_thread(function)

    async def settle(self) -> None:
        """Lets the event loop close what was aborted."""
        await asyncio.sleep(0)


def _left(until: float) -> float | None:
    return None if math.isinf(until) else max(until - time.monotonic(), 0)
