"""Files of a workspace."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from contextlib import aclosing
from functools import partial
from typing import Any, Protocol
from urllib.parse import quote

from ._http import PIECE
from ._json import decode_object, read
from ._network import Network
from ._requester import Requester
from ._transport import LARGEST_ANSWER, Operation
from .catalogue import File
from .errors import BadRequestError, ForeignAnswerError, TooLargeError

# The time that a transfer may take. The server ends it sooner if nothing moves for some seconds.
TRANSFER_TIME = 30 * 60.0


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes:
        """Returns the next bytes, none at the end."""


Source = bytes | bytearray | memoryview | Readable | Iterable[bytes]
AsyncSource = Source | AsyncIterable[bytes]


async def list_files(requester: Requester, directory: str, user: str, end: float) -> list[File]:
    """Returns the files below a directory, by path."""
    names = directory.strip("/")
    path = "/v1/files/" + (_encoded(names) + "/" if names else "")
    files: list[File] = []
    cursor = ""
    while True:
        query = {"user": user, "limit": "1000", "cursor": cursor}
        page = decode_object((await requester.ask(Operation("GET", path, query), end)).body)
        files += [read(File, f) for f in page.get("files") or []]
        following = page.get("next") or ""
        if not following:
            return files
        if following == cursor:
            raise ForeignAnswerError("the list has no end: its next page is the same again")
        cursor = following


async def stream_file(requester: Requester, path: str, user: str, end: float) -> AsyncGenerator[bytes, None]:
    """Yields the contents of a file, piece by piece. It is not tried again."""
    op = Operation("GET", _file_path(path), {"user": user}, headers={"Accept": "*/*"}, patience=TRANSFER_TIME)
    until = min(end, requester.network.now() + op.patience)
    try:
        async with requester.transport.exchange(op, until) as got:
            if got.status != 200:
                raise requester.transport.refused(got, await got.read_all(LARGEST_ANSWER, until))
            while piece := await got.read(until):
                yield piece
    except TimeoutError as error:
        requester.late(error, end)


async def get_file(requester: Requester, path: str, user: str, most: int, end: float) -> bytes:
    """Returns the contents of a file that has at most ``most`` bytes."""
    pieces, size = [], 0
    async with aclosing(stream_file(requester, path, user, end)) as stream:
        async for piece in stream:
            size += len(piece)
            if size > most:
                raise TooLargeError(f"the file {path} has more than {most} bytes; read it with stream_file")
            pieces.append(piece)
    return b"".join(pieces)


async def put_file(requester: Requester, path: str, data: Any, user: str, end: float) -> None:
    """Stores a file in one step. Bytes are sent again while that may help, another source is read once."""
    op = Operation(
        "PUT", _file_path(path), {"user": user}, kind="application/octet-stream", patience=TRANSFER_TIME
    )
    if isinstance(data, bytes | bytearray | memoryview):
        op.body = bytes(data)
        await requester.ask(op, end)
        return
    op.body = _pieces(requester.network, data)
    await requester.once(op, end)


async def delete_file(requester: Requester, path: str, user: str, end: float) -> None:
    """Removes a file, or an empty directory."""
    if not path.strip("/"):
        raise BadRequestError("the path of the file is missing")
    await requester.ask(Operation("DELETE", "/v1/files/" + _encoded(path), {"user": user}), end)


async def _pieces(network: Network, source: Any) -> AsyncIterator[bytes]:
    if isinstance(source, AsyncIterable):
        async for piece in source:
            yield piece
    elif hasattr(source, "read"):
        while piece := await network.compute(partial(source.read, PIECE)):
            yield piece
    else:
        for piece in source:
            yield piece


def _file_path(path: str) -> str:
    if not path or path.endswith("/"):
        raise BadRequestError("the path must name a file, and not a directory")
    return "/v1/files/" + _encoded(path)


def _encoded(path: str) -> str:
    return quote(path, safe="/")
