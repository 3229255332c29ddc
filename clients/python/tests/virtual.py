"""A network with a clock of its own: what takes minutes in the world takes no time in a test."""

from __future__ import annotations

import math
import ssl
from collections.abc import Callable
from typing import Any, TypeVar

from helve import Client
from helve._core import Core, Settings

from .asked import Asked, Reply

T = TypeVar("T")


class Network:
    """A network whose only server answers as a test scripts it."""

    def __init__(self, answer: Callable[[Asked], Reply]) -> None:
        self.answer = answer
        self.clock = 1000.0
        self.sleeps: list[float] = []
        self.asked: list[Asked] = []
        self.streams: list[Stream] = []

    def now(self) -> float:
        return self.clock

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.clock += seconds

    async def connect(self, host: str, port: int, tls: ssl.SSLContext | None, until: float) -> Stream:
        self.streams.append(Stream(self))
        return self.streams[-1]

    async def compute(self, function: Callable[[], T]) -> T:
        return function()

    async def settle(self) -> None:
        pass


class Stream:
    """A connection to it."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.sent = bytearray()
        self.incoming = bytearray()
        self.ended = self.aborted = self.silent = False
        self.late = 0.0

    async def send(self, data: bytes, until: float) -> None:
        self.sent += data
        head, found, body = bytes(self.sent).partition(b"\r\n\r\n")
        if not found:
            return
        first, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        if headers.get("transfer-encoding") == "chunked":
            if not body.endswith(b"0\r\n\r\n"):
                return
        elif len(body) < int(headers.get("content-length", 0)):
            return
        self.sent.clear()
        method, target, _ = first.split(" ")
        asked = Asked(method, target, headers, body)
        self.network.asked.append(asked)
        self._take(self.network.answer(asked))

    def _take(self, reply: Reply) -> None:
        self.silent, self.late = reply.silent, reply.delay
        if reply.cut == -1:
            self.ended = True
        elif not reply.silent:
            headers = {"Content-Length": str(len(reply.data))} | reply.headers
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            self.incoming += f"HTTP/1.1 {reply.status} X\r\n{head}\r\n".encode() + reply.data[: reply.cut]
            self.ended = reply.cut is not None or headers.get("Connection") == "close"

    async def receive(self, most: int, until: float) -> bytes:
        if self.silent or self.network.clock + self.late > until:
            if math.isinf(until):
                raise AssertionError("the client waits without end")
            self.network.clock = max(until, self.network.clock)
            raise TimeoutError
        self.network.clock += self.late
        self.late = 0.0
        piece = bytes(self.incoming[:most])
        del self.incoming[:most]
        if not piece and not self.ended:
            raise AssertionError("the client waits for bytes that nobody sends")
        return piece

    def idle(self) -> bool:
        return not (self.aborted or self.ended or self.incoming)

    def abort(self) -> None:
        self.aborted = True


def client(network: Network, **settings: Any) -> Client:
    """Returns a client over a virtual network."""
    made = Client("http://helve.test:8080")
    made._core = Core(network, Settings(server="http://helve.test:8080", **settings))
    return made


def answers(*replies: Reply | Callable[[Asked], Reply]) -> Network:
    """Returns a network whose server answers in turn, and the last answer from then on."""
    left = list(replies)

    def answer(asked: Asked) -> Reply:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, Reply) else reply(asked)

    return Network(answer)
