"""Server-sent events (HTML Standard, 9.2), parsed from pieces of any size."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The longest line and the longest data of an event, in bytes.
LONGEST = 16 << 20

_END = re.compile(rb"\r\n|\n|\r")


class TooLongError(ValueError):
    """An event or a line is longer than LONGEST."""


@dataclass(frozen=True)
class Message:
    """An event: its type, its data, and the last id of the stream."""

    type: str
    data: str
    id: str


class Parser:
    """Parses a stream. Lines end in LF, CRLF or CR; comments and events without data are dropped."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._seen = 0
        self._began = False
        self._after_cr = False
        self._type = ""
        self._id = ""
        self._data: list[str] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[Message]:
        """Returns the events that a piece of the stream completes."""
        self._buffer += piece
        if not self._began and len(self._buffer) >= 3:
            self._began, self._seen = True, 0
            self._buffer = self._buffer.removeprefix(b"\xef\xbb\xbf")
        found: list[Message] = []
        start = 0
        while end := _END.search(self._buffer, max(start, self._seen)):
            line = bytes(self._buffer[start : end.start()])
            # The LF of a CRLF may come with a later piece than its CR.
            skip = self._after_cr and end.group() == b"\n" and end.start() == start
            self._after_cr = end.group() == b"\r"
            start = end.end()
            if not skip:
                self._line(line, found)
        del self._buffer[:start]
        self._seen = len(self._buffer)
        if self._seen:
            self._after_cr = False
        if self._seen > LONGEST:
            raise TooLongError(f"a line of the stream is longer than {LONGEST} bytes")
        return found

    def _line(self, line: bytes, found: list[Message]) -> None:
        if not line:
            if self._data:
                found.append(Message(self._type or "message", "\n".join(self._data), self._id))
            self._type, self._data, self._size = "", [], 0
            return
        name, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if name == b"data":
            self._data.append(text)
            self._size += len(value) + 1
            if self._size > LONGEST:
                raise TooLongError(f"an event is longer than {LONGEST} bytes")
        elif name == b"event":
            self._type = text
        elif name == b"id" and "\0" not in text:
            self._id = text
