"""Operations over HTTP: addresses, credentials, and the errors of answers."""

from __future__ import annotations

import http
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, urlencode, urlsplit

from ._credentials import Identity
from ._http import Connection, NotHTTPError, Request, Response
from ._json import decode
from ._network import Network
from ._pool import Origin, Pool
from ._retry import ANSWER_TIMEOUT, parse_retry_after
from .errors import ForeignAnswerError, RequestError, UnreachableError, request_error

# The largest body that is read into memory.
LARGEST_ANSWER = 1 << 30


@dataclass
class Operation:
    """A request: its ``path`` is below the server's URL and encoded, ``patience`` is the time that
    the server may take."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | AsyncIterator[bytes] | None = None
    kind: str = "application/json"
    length: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    patience: float = ANSWER_TIMEOUT


@dataclass
class Answer:
    """The body of a successful answer, and the delay that it requests."""

    body: bytes
    retry_after: float = 0.0


class Exchange:
    """An answer whose body is read piece by piece."""

    def __init__(self, transport: Transport, connection: Connection, response: Response) -> None:
        self.status = response.status
        self.headers = response.headers
        self._transport = transport
        self._connection = connection
        self._response = response

    async def read(self, until: float) -> bytes:
        """Returns the next piece of the body, none at its end."""
        with self._transport.reported():
            return await self._connection.read(self._response, until)

    async def read_all(self, most: int, until: float) -> bytes:
        """Returns the rest of the body, which must have at most ``most`` bytes."""
        pieces, size = [], 0
        while piece := await self.read(until):
            size += len(piece)
            if size > most:
                raise ForeignAnswerError(f"the answer has more than {most} bytes")
            pieces.append(piece)
        return b"".join(pieces)


class Transport:
    """Sends operations to one server."""

    def __init__(self, network: Network, server: str, identity: Identity, tls: ssl.SSLContext | None) -> None:
        url = checked_url(server)
        secure = url.scheme == "https"
        if secure and tls is None:
            tls = ssl.create_default_context()
        self._identity = identity
        self._prefix = quote(url.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._")
        self._host = url.netloc
        self.shown = f"{url.scheme}://{url.netloc}"
        self.pool = Pool(network, Origin(url.hostname or "", url.port or (443 if secure else 80), tls if secure else None))

    async def request(self, op: Operation, until: float) -> Answer:
        """Returns the body of a successful answer, or of an answer that refuses each call by itself."""
        async with self.exchange(op, until) as got:
            body = await got.read_all(LARGEST_ANSWER, until)
            if got.status // 100 == 2 or _holds_results(body):
                return Answer(body, parse_retry_after(got.headers.get("retry-after", "")))
            raise self.refused(got, body)

    @asynccontextmanager
    async def exchange(self, op: Operation, until: float) -> AsyncIterator[Exchange]:
        """Sends an operation and returns its answer, whatever its status."""
        request = Request(op.method, self._target(op), await self._headers(op), op.body, op.length)
        with self.reported():
            connection, response = await self._send(request, until)
        try:
            yield Exchange(self, connection, response)
        finally:
            self.pool.release(connection, response)  # which closes it if the answer was not read to its end

    async def _send(self, request: Request, until: float) -> tuple[Connection, Response]:
        connection = await self.pool.take(until)
        reused = connection.used > 0
        try:
            return connection, await connection.ask(request, until)
        except ConnectionError:
            self.pool.drop(connection)
            # The server closed the idle connection while the request was on its way.
            if not reused or connection.answered or request.method != "GET":
                raise
        except BaseException:
            self.pool.drop(connection)
            raise
        connection = await self.pool.connect(until)
        try:
            return connection, await connection.ask(request, until)
        except BaseException:
            self.pool.drop(connection)
            raise

    def _target(self, op: Operation) -> str:
        query = {name: value for name, value in op.query.items() if value}
        return self._prefix + op.path + ("?" + urlencode(query) if query else "")

    async def _headers(self, op: Operation) -> dict[str, str]:
        headers = {"Host": self._host, "User-Agent": "helve-python", "Accept": "application/json", **op.headers}
        headers |= await self._identity.headers()
        if op.body is not None:
            headers["Content-Type"] = op.kind
        return headers

    def reported(self) -> _Reported:
        """Returns a context that turns failures of the connection into errors of this package."""
        return _Reported(self.shown)

    def silent(self) -> UnreachableError:
        """Returns the error for a server that did not answer in time."""
        return UnreachableError(f"cannot reach {self.shown}: no answer in time")

    def refused(self, got: Exchange, body: bytes) -> RequestError:
        """Returns the error of an unsuccessful answer. If the body is not Helve's, for instance a
        proxy's, the status describes it."""
        after = parse_retry_after(got.headers.get("retry-after", ""))
        try:
            told = decode(body)
        except ForeignAnswerError:
            told = None
        if isinstance(told, dict):
            texts = [told.get(name) for name in ("detail", "message", "title")]
            message = next((text for text in texts if isinstance(text, str) and text), "")
            kind = told.get("error_type")
            if message:
                return request_error(kind if isinstance(kind, str) else "", got.status, message, after)
        answered = f"{self.shown} answered {got.status} {phrase(got.status)}".rstrip()
        return request_error("", got.status, f"{answered}; is it a Helve server?", after)


class _Reported:
    def __init__(self, shown: str) -> None:
        self._shown = shown

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ssl.SSLCertVerificationError):
            raise ForeignAnswerError(f"cannot trust {self._shown}: {error.verify_message}") from error
        if isinstance(error, NotHTTPError):
            raise ForeignAnswerError(f"cannot read the answer of {self._shown}: {error}") from error
        if isinstance(error, OSError) and not isinstance(error, TimeoutError):
            raise UnreachableError(f"cannot reach {self._shown}: {error.strerror or error}") from error


def checked_url(server: str) -> SplitResult:
    """Returns a server's URL, and refuses another; the error does not contain a password."""
    url = urlsplit(server)
    try:
        port = url.port
    except ValueError:
        port = -1
    if url.scheme not in ("http", "https") or not url.hostname or port == -1 or re.search(r"[^!-~]", server):
        raise ValueError("the server's URL cannot be read; use http://HOST:PORT or https://HOST")
    if url.username is not None or url.password is not None:
        raise ValueError("the server's URL must hold no user; give the key as token")
    if url.query or url.fragment:
        raise ValueError("the server's URL must end with its path, without query or fragment")
    return url


def _holds_results(body: bytes) -> bool:
    try:
        told = decode(body)
    except ForeignAnswerError:
        return False
    return isinstance(told, dict) and isinstance(told.get("results"), list)


def phrase(status: int) -> str:
    """Returns the name of a status, or nothing for an unknown one."""
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return ""
