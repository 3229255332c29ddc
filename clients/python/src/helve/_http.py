"""HTTP/1.1 over a stream: one request at a time, bodies by length, in chunks or to the end.

It promises that an answer is read exactly as it is framed, that lines and heads are bounded, and
that a connection whose answer was not read to its end is never used again. Answers are not
decompressed and redirects are not followed: neither is asked for.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from ._network import Stream

LONGEST_LINE = 16 << 10
MOST_HEADERS = 200
PIECE = 64 << 10

_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9]\d\d)(?: (.*))?")
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class NotHTTPError(ValueError):
    """The answer is not HTTP."""


class CutError(ConnectionError):
    """The connection ended before the answer did."""


@dataclass
class Request:
    """A request. ``body`` is bytes, or an iterator that is sent in chunks, or with ``length`` as it is."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes | AsyncIterator[bytes] | None = None
    length: int | None = None

    def head(self) -> bytes:
        """Returns the request line and the headers."""
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if isinstance(self.body, bytes):
            lines.append(f"Content-Length: {len(self.body)}")
        elif self.body is not None:
            lines.append("Transfer-Encoding: chunked" if self.length is None else f"Content-Length: {self.length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@dataclass
class Response:
    """The head of an answer, and the state of its body."""

    status: int
    headers: dict[str, str]
    keep: bool
    # The rest of the body, or of its chunk; None reads to the end of the connection.
    left: int | None = 0
    chunked: bool = False
    done: bool = False


class Connection:
    """A connection that carries one request after the other."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.used = 0
        self.answered = False
        self._buffer = bytearray()

    async def ask(self, request: Request, until: float) -> Response:
        """Sends a request and returns the head of its answer."""
        self.used += 1
        self.answered = False
        try:
            await self._send(request, until)
        except ConnectionError:
            # A server that refuses a body answers and closes; its answer has the reason.
            try:
                return await self._head(request.method, until)
            except (OSError, NotHTTPError):
                pass
            raise
        return await self._head(request.method, until)

    async def _send(self, request: Request, until: float) -> None:
        if request.body is None or isinstance(request.body, bytes):
            await self.stream.send(request.head() + (request.body or b""), until)
            return
        await self.stream.send(request.head(), until)
        async for piece in request.body:
            if request.length is None and piece:
                piece = b"%x\r\n%b\r\n" % (len(piece), piece)
            await self.stream.send(piece, until)
        if request.length is None:
            await self.stream.send(b"0\r\n\r\n", until)

    async def _head(self, method: str, until: float) -> Response:
        for _ in range(MOST_HEADERS):
            line = _STATUS.fullmatch(await self._line(until))
            if line is None or line[2] == b"101":
                raise NotHTTPError("the answer is not HTTP/1.1")
            status, headers = int(line[2]), await self._headers(until)
            if status < 200:  # it precedes the answer
                continue
            keep = line[1] == b"1" and "close" not in _tokens(headers.get("connection", ""))
            response = Response(status, headers, keep)
            self._frame(response, bodiless=method == "HEAD" or status in (204, 304))
            return response
        raise NotHTTPError("the answer does not begin")

    async def _headers(self, until: float) -> dict[str, str]:
        headers: dict[str, str] = {}
        for _ in range(MOST_HEADERS):
            line = await self._line(until)
            if not line:
                return headers
            name, colon, value = line.partition(b":")
            if not colon or not _NAME.fullmatch(name):
                raise NotHTTPError("a header of the answer is malformed")
            key, text = name.decode("ascii").lower(), value.strip(b" \t").decode("latin-1")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        raise NotHTTPError("the answer has too many headers")

    def _frame(self, response: Response, *, bodiless: bool) -> None:
        coding, length = response.headers.get("transfer-encoding"), response.headers.get("content-length")
        if bodiless:
            response.done = True
        elif coding is not None:
            if coding.lower() != "chunked" or length is not None:
                raise NotHTTPError("the length of the answer is not certain")
            response.chunked = True
        elif length is not None:
            lengths = set(_tokens(length))
            if len(lengths) != 1 or not re.fullmatch(r"[0-9]{1,18}", next(iter(lengths))):
                raise NotHTTPError("the length of the answer is no number")
            response.left = int(lengths.pop())
            response.done = response.left == 0
        else:
            response.left, response.keep = None, False

    async def read(self, response: Response, until: float) -> bytes:
        """Returns the next piece of the body, none at its end."""
        if response.chunked and not response.done and response.left == 0:
            await self._next_chunk(response, until)
        if response.done:
            return b""
        if not self._buffer and not await self._fill(until):
            if response.left is None:
                response.done = True
                return b""
            raise CutError("the connection ended before the answer did")
        most = PIECE if response.left is None else min(PIECE, response.left)
        piece = bytes(self._buffer[:most])
        del self._buffer[:most]
        if response.left is not None:
            response.left -= len(piece)
            if response.left == 0:
                if response.chunked:
                    await self._expect_line(b"", until)
                else:
                    response.done = True
        return piece

    async def _next_chunk(self, response: Response, until: float) -> None:
        size = (await self._line(until)).partition(b";")[0].strip(b" \t")
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,15}", size):
            raise NotHTTPError("the length of a chunk is no number")
        response.left = int(size, 16)
        if response.left == 0:
            await self._headers(until)  # the trailers
            response.done = True

    async def _expect_line(self, want: bytes, until: float) -> None:
        if await self._line(until) != want:
            raise NotHTTPError("a chunk of the answer is longer than its length")

    async def _line(self, until: float) -> bytes:
        start = 0
        while (end := self._buffer.find(b"\n", start)) < 0:
            start = len(self._buffer)
            if start > LONGEST_LINE:
                break
            if not await self._fill(until):
                raise CutError("the connection was closed without an answer" if not self.answered else "the connection was lost")
        if max(start, end) > LONGEST_LINE:
            raise NotHTTPError("a line of the answer's head is too long")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.removesuffix(b"\r")

    async def _fill(self, until: float) -> bool:
        data = await self.stream.receive(PIECE, until)
        self._buffer += data
        self.answered = self.answered or bool(data)
        return bool(data)

    def idle(self) -> bool:
        """Reports whether another request can be sent."""
        return not self._buffer and self.stream.idle()


def _tokens(value: str) -> list[str]:
    return [token.strip().lower() for token in value.split(",")]
