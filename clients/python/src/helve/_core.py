"""The operations of both clients, written once as coroutines (see ``_network``)."""

from __future__ import annotations

import hashlib
import math
import os
import re
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from . import _execute
from ._credentials import HelveIdentity, TokenSource
from ._execute import Executor
from ._inbox import checked_id
from ._json import decode, decode_object, encode, read
from ._network import Network
from ._requester import Requester
from ._transport import LARGEST_ANSWER, Operation, Transport
from .calls import Call, Consenting, Context, Priority, Response, Result, Telling
from .catalogue import Format, Tool
from .errors import BadRequestError, RequestError

DEFAULT_SERVER = "http://127.0.0.1:8080"
DEFAULT_RETRY = 30.0
DEFAULT_WAIT = 30.0


@dataclass(frozen=True)
class Settings:
    """The options of a client."""

    server: str | None = None
    token: TokenSource = field(default=None, repr=False)
    context: Context = Context()
    tenant: str = ""
    retry_for: float = DEFAULT_RETRY
    timeout: float | None = None
    tls: ssl.SSLContext | None = None
    parse_float: Callable[[str], Any] = float


class Core:
    """The operations over a network."""

    def __init__(self, network: Network, settings: Settings) -> None:
        server = settings.server or os.environ.get("HELVE_SERVER") or DEFAULT_SERVER
        token = settings.token
        if token is None and settings.server is None:  # a token of the environment is not for another server
            token = os.environ.get("HELVE_TOKEN")
        identity = HelveIdentity(token, settings.tenant)
        transport = Transport(network, server, identity, settings.tls)
        self.requester = Requester(network, transport, settings.retry_for, settings.timeout)
        self.context = settings.context
        self._parse_float = settings.parse_float
        self._executor = Executor(self.requester, settings.parse_float)

    async def close(self) -> None:
        """Closes all connections."""
        self.requester.transport.pool.close()
        await self.requester.network.settle()

    async def call(self, call: Call, context: Context, trace_id: str, wait: float, consent: Consenting, timeout: float | None) -> Result:  # fmt: skip
        """Returns the result of one call, and raises the error of a call that did not succeed."""
        response = await self.execute([call], context, trace_id, wait, consent, None, timeout)
        return response.results[0].check()

    async def execute(
        self, calls: Sequence[Call], context: Context, trace_id: str, wait: float, consent: Consenting,
        callback: Mapping[str, Any] | None, timeout: float | None,
    ) -> Response:  # fmt: skip
        """Runs calls and returns their results, with large ones fetched."""
        end = self.requester.end(timeout)
        batch = _execute.batch(calls, context.over(self.context), trace_id, consent, callback, named=self._named)
        response = await self._executor.execute(batch, _checked_wait(wait), end)
        results = [await self._fetched(result, end) for result in response.results]
        return Response(response.trace_id, results, None, response.retry_after)

    async def execute_message(
        self, format: Format, message: object, context: Context, trace_id: str, wait: float, consent: Telling,
        callback: Mapping[str, Any] | None, prefix: str, priority: Priority, timeout: float | None,
    ) -> Response:  # fmt: skip
        """Runs the calls in a model's message and returns the messages to append."""
        batch = _execute.message(
            format, message, context.over(self.context), trace_id, consent, callback, prefix,
            "" if priority == "interactive" else priority, named=self._named,
        )  # fmt: skip
        return await self._executor.execute(batch, _checked_wait(wait), self.requester.end(timeout))

    @property
    def _named(self) -> bool:
        return self.requester.retry_for > 0

    async def get(self, call_id: str, timeout: float | None) -> Result:
        """Returns the state of a call."""
        return await self._one("GET", call_id, "", timeout)

    async def cancel(self, call_id: str, timeout: float | None) -> Result:
        """Cancels a call and returns its state."""
        return await self._one("POST", call_id, "/cancel", timeout)

    async def _one(self, method: str, call_id: str, verb: str, timeout: float | None) -> Result:
        end = self.requester.end(timeout)
        path = f"/v1/calls/{checked_id('call_id', call_id)}{verb}"
        answer = await self.requester.ask(Operation(method, path), end)
        return await self._fetched(read(Result, decode_object(answer.body, self._parse_float)), end)

    async def _fetched(self, result: Result, end: float) -> Result:
        """Returns the result with the value that it refers to, if it is a reference."""
        ref = result.ref
        if ref is None or result.value is not None:
            return result
        if not 0 <= ref.size <= LARGEST_ANSWER:
            raise RequestError(f"the result of call {result.call_id} has {ref.size} bytes, more than a client reads", kind="too_large")
        path = f"/v1/calls/{checked_id('call_id', result.call_id)}/result"
        body = (await self.requester.ask(Operation("GET", path), end)).body
        if len(body) != ref.size or hashlib.sha256(body).hexdigest() != ref.sha256.lower():
            raise RequestError(f"the stored result of call {result.call_id} is damaged: its size or its hash is another", kind="unavailable")
        return result.with_value(decode(body, self._parse_float))

    async def tools(self, format: Format, query: Mapping[str, str], timeout: float | None) -> list[Any]:
        """Returns the definitions of tools, in a format."""
        own = self.context
        query = {
            **query, "user": query.get("user") or own.user, "toolset": query.get("toolset") or own.toolset,
            "format": "" if format == "native" else format,
        }  # fmt: skip
        answer = await self.requester.ask(Operation("GET", "/v1/tools", query), self.requester.end(timeout))
        found = decode_object(answer.body).get("tools")
        return found if isinstance(found, list) else []

    async def tool(self, name: str, timeout: float | None) -> Tool:
        """Returns the definition of a tool."""
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]{0,63}", name):
            raise BadRequestError(f"the tool name {name[:80]!r} must be letters, digits and underscores, in parts joined by dots")
        op = Operation("GET", "/v1/tools/" + quote(name), {"user": self.context.user})
        found: Tool = decode_object((await self.requester.ask(op, self.requester.end(timeout))).body)  # type: ignore[assignment]
        return found

    async def request(self, method: str, path: str, query: Mapping[str, str], body: object, timeout: float | None) -> Any:
        """Returns the JSON of another operation."""
        if not re.fullmatch(r"/v1/[!-~]*", path) or "?" in path or "#" in path:
            raise BadRequestError("the path must begin with /v1/ and be encoded, without query")
        op = Operation(method, path, query, None if body is None else encode(body).encode())
        answer = await self.requester.ask(op, self.requester.end(timeout))
        return decode(answer.body, self._parse_float) if answer.body.strip() else None


def _checked_wait(wait: float) -> float:
    if not wait >= 0 or math.isinf(wait):
        raise BadRequestError(f"wait is {wait}; it must be a number of seconds that is not negative")
    return wait
