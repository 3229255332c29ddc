"""The network of blocking programs: sockets, and coroutines that never suspend."""

from __future__ import annotations

import math
import selectors
import socket
import ssl
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Returns the value of a coroutine over a :class:`BlockingNetwork`."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
    coroutine.close()
    raise RuntimeError("a blocking client awaits nothing; give it functions that are not async")


def iterate(source: AsyncGenerator[T, None]) -> Generator[T, None, None]:
    """Yields the items of an asynchronous generator over a :class:`BlockingNetwork`."""
    try:
        while True:
            try:
                item = run(_next(source))
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(_close(source))


async def _close(source: AsyncGenerator[T, None]) -> None:
    await source.aclose()


async def _next(source: AsyncGenerator[T, None]) -> T:
    return await source.__anext__()


def keep_alive(sock: socket.socket) -> None:
    """Makes the kernel notice a server that is gone, and sends small requests without delay."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


class BlockingStream:
    """A connection over a socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    async def receive(self, most: int, until: float) -> bytes:
        """Returns the next bytes."""
        self._sock.settimeout(_left(until))
        return self._sock.recv(most)

    async def send(self, data: bytes, until: float) -> None:
        """Sends all of ``data``."""
        self._sock.settimeout(_left(until))
        self._sock.sendall(data)

    def idle(self) -> bool:
        """Reports whether the socket has nothing to read, not even an end."""
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._sock, selectors.EVENT_READ)
                return not selector.select(0)
        except (OSError, ValueError):  # it is closed
            return False

    def abort(self) -> None:
        """Closes the socket, and wakes a thread that waits for it."""
        with suppress(OSError):
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)
        self._sock.close()


class BlockingNetwork:
    """Sockets and the clock of the system."""

    def now(self) -> float:
        """Returns the time of the monotonic clock."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits in the thread of the caller."""
        time.sleep(seconds)

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, until: float) -> BlockingStream:
        """Returns a new connection. The look-up of a host name has the system's own time limit."""
        sock = socket.create_connection((host, port), _left(until))
        try:
            keep_alive(sock)
            if tls is not None:
                sock.settimeout(_left(until))
                sock = tls.wrap_socket(sock, server_hostname=host)
        except BaseException:
            sock.close()
            raise
        return BlockingStream(sock)

    async def compute(self, function: Callable[[], T]) -> T:
        """Calls the function."""
        return function()

    async def settle(self) -> None:
        """Returns: sockets are closed immediately."""


def _left(until: float) -> float | None:
    if math.isinf(until):
        return None
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left
