"""The connections to one server: those in use, and idle ones kept for later requests."""

from __future__ import annotations

import ssl
from collections import deque
from dataclasses import dataclass

from ._http import Connection, Response
from ._network import Network
from .errors import ClosedError

# Concurrent callers need a connection each; with fewer kept they connect again and again.
MOST_IDLE = 256
LONGEST_IDLE = 90.0


@dataclass(frozen=True)
class Origin:
    """The address of a server."""

    host: str
    port: int
    tls: ssl.SSLContext | None


class Pool:
    """Connections. It may be used by several threads, or by several tasks of one event loop."""

    def __init__(self, network: Network, origin: Origin) -> None:
        self._network = network
        self._origin = origin
        self._idle: deque[tuple[Connection, float]] = deque()
        self._all: set[Connection] = set()
        self._closed = False

    async def take(self, until: float) -> Connection:
        """Returns an idle connection, or a new one."""
        while True:
            self._check_open()
            try:
                connection, since = self._idle.pop()
            except IndexError:
                break
            if self._network.now() - since < LONGEST_IDLE and connection.idle():
                return connection
            self.drop(connection)
        return await self.connect(until)

    async def connect(self, until: float) -> Connection:
        """Returns a new connection."""
        stream = await self._network.connect(self._origin.host, self._origin.port, self._origin.tls, until)
        connection = Connection(stream)
        self._all.add(connection)
        if self._closed:  # while it was made
            self.drop(connection)
            self._check_open()
        return connection

    def release(self, connection: Connection, response: Response) -> None:
        """Keeps a connection whose answer was read to its end, and closes another."""
        if not response.keep:
            # The server stops: it will close idle connections too, perhaps when a request is on its way.
            self._drop_idle()
        if response.done and response.keep and not self._closed and len(self._idle) < MOST_IDLE:
            self._idle.append((connection, self._network.now()))
        else:
            self.drop(connection)

    def drop(self, connection: Connection) -> None:
        """Closes a connection."""
        self._all.discard(connection)
        connection.stream.abort()

    def close(self) -> None:
        """Closes all connections; requests in progress fail."""
        self._closed = True
        self._drop_idle()
        for connection in list(self._all):
            self.drop(connection)

    def _drop_idle(self) -> None:
        while self._idle:
            self.drop(self._idle.pop()[0])

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the client is closed")
