"""A server on loopback that a test scripts, with an HTTP implementation of others (http.server)."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from helve import AsyncClient, Client

from .asked import Asked, Reply

# The longest wait of a test for something that should happen soon.
PATIENCE = 60.0


class Far:
    """The server. ``gone`` is set when a client has closed the connection of an unanswered request."""

    def __init__(self, answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> None:
        self.answer = answer
        self.asked: list[Asked] = []
        self.arrived = threading.Event()
        self.gone = threading.Event()
        far = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(headers.get("content-length", 0)))
                asked = Asked(self.command, self.path, headers, body)
                far.asked.append(asked)
                reply = far.answer(asked)
                if reply.silent:
                    far.arrived.set()
                    self.connection.settimeout(PATIENCE)
                    try:
                        self.connection.recv(1)
                    except OSError:
                        pass
                    self.close_connection = True
                    far.gone.set()
                    return
                self.send_response(reply.status)
                for name, value in ({"Content-Length": str(len(reply.data))} | reply.headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.data)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.url = f"{'https' if tls else 'http'}://localhost:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Far:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class Waiting:
    """An :class:`AsyncClient` in the form of a blocking one, so that a test runs on both."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._runner = asyncio.Runner()
        self._client = AsyncClient(*args, **options)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if not callable(method):
            return method

        def blocking(*args: Any, **options: Any) -> Any:
            value = method(*args, **options)
            if isinstance(value, Coroutine):
                return self._runner.run(value)
            return self._iterate(value) if isinstance(value, AsyncGenerator) else value

        return blocking

    def _iterate(self, source: AsyncGenerator[Any, None]) -> Iterator[Any]:
        async def following() -> Any:
            return await source.__anext__()

        async def close() -> None:
            await source.aclose()

        try:
            while True:
                try:
                    item = self._runner.run(following())
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._runner.run(close())

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._client.close())
        self._runner.close()


CLIENTS: dict[str, Callable[..., Any]] = {"Client": Client, "AsyncClient": Waiting}
