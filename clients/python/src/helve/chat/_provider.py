"""Requests to a provider."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .. import _sse
from .._json import decode, encode
from .._loop import ModelError, Turn
from .._network import Network
from .._retry import parse_retry_after
from .._transport import Exchange, Operation, Transport, phrase
from ..errors import ForeignAnswerError, RequestError
from ._answer import Assembler, Speech, malformed
from ._dialect import DIALECTS, Options, no_tools
from ._fault import discreet, refused

LONGEST_ANSWER = 64 << 20


class _Key:
    """The key of a provider. Redirects are not followed, so it is sent to the base URL only."""

    def __init__(self, options: Options) -> None:
        dialect = DIALECTS[options.provider]
        self._headers = dict(dialect.headers)
        if options.key:
            self._headers[dialect.key_header] = dialect.key_prefix + options.key

    async def headers(self) -> dict[str, str]:
        """Returns the headers of the next request."""
        return self._headers


class Provider:
    """Asks a model over a network."""

    def __init__(self, network: Network, options: Options) -> None:
        self._options = options
        self._dialect = DIALECTS[options.provider]
        self._network = network
        self.transport = Transport(network, options.base_url, _Key(options), None)

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""
        return self._dialect.user(text)

    async def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn:
        """Sends a conversation and returns the answer."""
        offered = [] if no_tools(tools) else tools
        body = self._dialect.body(self._options, conversation, offered)
        given = {k: v for k, v in body.items() if v or v is False}
        op = Operation(
            "POST", self._dialect.path(self._options), self._dialect.query, encode(given).encode(),
            headers={"Accept": "text/event-stream"},
        )  # fmt: skip
        assembler = self._dialect.assembler(Speech(text), len(conversation))
        try:
            return await self._exchange(op, assembler)
        except ModelError as error:
            raise discreet(error, self._options.key) from None
        except TimeoutError:
            idle = f"the model's provider: it sent nothing for {self._options.idle:g} seconds; ask again"
            raise ModelError(idle, temporary=True) from None
        except _sse.TooLongError:
            raise ModelError("the model's provider: a line of its answer is too long; ask for less") from None
        except ForeignAnswerError as error:
            raise discreet(malformed(error.message), self._options.key) from None
        except RequestError as error:
            lost = ModelError(f"the model's provider: {error.message}; check the network and the base URL, or ask again later", temporary=True)
            raise discreet(lost, self._options.key) from None

    async def _exchange(self, op: Operation, assembler: Assembler) -> Turn:
        async with self.transport.exchange(op, self._until()) as got:
            kind = got.headers.get("content-type", "").partition(";")[0].strip().lower()
            if got.status // 100 != 2:
                raise await self._refused(got)
            if kind == "text/html":
                raise ModelError("the model's provider: it answered with a page for people; check the base URL")
            if kind == "application/json":
                assembler.whole(decode(await self._rest(got, LONGEST_ANSWER), Decimal))
            else:
                await self._stream(got, assembler)
            return assembler.turn()

    async def _stream(self, got: Exchange, assembler: Assembler) -> None:
        parser, size = _sse.Parser(), 0
        while piece := await got.read(self._until()):
            size += len(piece)
            if size > LONGEST_ANSWER:
                raise ModelError("the model's provider: its answer is longer than 64 MiB; ask for less")
            for message in parser.feed(piece):
                # The only event of all four providers that is not JSON ends Chat Completions.
                if message.data == "[DONE]" or assembler.event(decode(message.data.encode("utf-8", "replace"), Decimal)):
                    return

    async def _refused(self, got: Exchange) -> ModelError:
        try:
            body = await self._rest(got, 64 << 10)
        except (RequestError, TimeoutError):
            body = b""
        try:
            told = decode(body)
        except ForeignAnswerError:
            told = None
        after = parse_retry_after(got.headers.get("retry-after", ""))
        return refused(got.status, told, body.decode("utf-8", "replace"), phrase(got.status), after)

    async def _rest(self, got: Exchange, most: int) -> bytes:
        pieces, size = [], 0
        while piece := await got.read(self._until()):
            size += len(piece)
            if size > most:
                raise ForeignAnswerError("its answer is too long")
            pieces.append(piece)
        return b"".join(pieces)

    def _until(self) -> float:
        return self._network.now() + self._options.idle
