"""The blocking client."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Generator, Mapping, Sequence
from types import TracebackType
from typing import Any

from . import _events, _files, _inbox
from ._blocking import BlockingNetwork, iterate, run
from ._core import DEFAULT_RETRY, DEFAULT_WAIT, Core, Settings
from ._files import Source
from .calls import Call, Consenting, Context, Priority, Response, Result, Telling
from .catalogue import Event, File, Format, Tool
from .consents import Consent, ConsentPage, Grant, Remember, Token

NOBODY = Context()


class Client:
    """A client of one Helve server, for programs that block.

    It may be used by several threads. Nothing is sent before the first request. Use it with
    ``with``, or call :meth:`close`.

    ``server`` is an ``http://`` or ``https://`` URL; the default is ``HELVE_SERVER``, or
    ``http://127.0.0.1:8080``. ``token`` is an API key or a bearer token, or a function that returns
    it for each request; without ``server`` it defaults to ``HELVE_TOKEN``. ``context`` has the person, agent and conversation of requests. ``tenant``
    is needed only without a token. ``tls`` replaces the default of ``ssl``: authorities, client
    certificates. ``parse_float`` reads the numbers of results, as in the module ``json``.

    ``retry_for`` is the time in seconds that the server may be away or overloaded before a request
    fails; with 0 nothing is sent a second time. ``timeout`` bounds each method in seconds,
    including all attempts, where the method has no ``timeout`` of its own; when it ends the method
    raises :class:`DeadlineError`, and a call that was sent continues.
    """

    def __init__(
        self, server: str | None = None, *, token: str | Callable[[], str] | None = None, context: Context = NOBODY,
        tenant: str = "", retry_for: float = DEFAULT_RETRY, timeout: float | None = None,
        tls: ssl.SSLContext | None = None, parse_float: Callable[[str], Any] = float,
    ) -> None:  # fmt: skip
        settings = Settings(server, token, context, tenant, retry_for, timeout, tls, parse_float)
        self._core = Core(BlockingNetwork(), settings)

    def close(self) -> None:
        """Closes all connections. Requests of other threads fail: use it to cancel them."""
        run(self._core.close())

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def context(self) -> Context:
        """The person, agent and conversation of requests that name none."""
        return self._core.context

    def call(
        self, tool: str, arguments: Mapping[str, Any] | str | None = None, *, context: Context = NOBODY,
        call_id: str = "", tool_call_id: str = "", trace_id: str = "", wait: float = DEFAULT_WAIT,
        consent: Consenting = "return", confirm_token: str = "", priority: Priority = "interactive",
        tool_timeout: float = 0.0, wait_for_worker: bool = False, timeout: float | None = None,
    ) -> Result:  # fmt: skip
        """Runs one call and returns its result.

        A failed call raises the :class:`CallError` of its kind, and an unfinished call
        :class:`PendingError`. ``wait`` bounds the wait for the call in seconds, ``consent="wait"``
        includes the wait for a person, ``tool_timeout`` bounds the run of the tool.
        """
        one = Call(tool, arguments, call_id, tool_call_id, confirm_token, priority, tool_timeout, wait_for_worker)
        return run(self._core.call(one, context, trace_id, wait, consent, timeout))

    def execute(
        self, calls: Sequence[Call], *, context: Context = NOBODY, trace_id: str = "", wait: float = DEFAULT_WAIT,
        consent: Consenting = "return", callback: Mapping[str, Any] | None = None, timeout: float | None = None,
    ) -> Response:  # fmt: skip
        """Runs calls concurrently and returns when all are done or wait for a person, or when
        ``wait`` is over. Each call's outcome is in its result."""
        return run(self._core.execute(calls, context, trace_id, wait, consent, callback, timeout))

    def execute_message(
        self, format: Format, message: object, *, context: Context = NOBODY, trace_id: str = "",
        wait: float = DEFAULT_WAIT, consent: Telling = "return", callback: Mapping[str, Any] | None = None,
        call_id_prefix: str = "", priority: Priority = "interactive", timeout: float | None = None,
    ) -> Response:  # fmt: skip
        """Runs the calls in a model's own message; ``messages`` of the answer has the items to
        append. With the same ``call_id_prefix`` a message can be sent again. With
        ``consent="tell"`` they tell the model which calls wait for a person or a time."""
        return run(
            self._core.execute_message(
                format, message, context, trace_id, wait, consent, callback, call_id_prefix, priority, timeout
            )
        )

    def get(self, call_id: str, *, timeout: float | None = None) -> Result:
        """Returns the state of a call, even if another client sent it."""
        return run(self._core.get(call_id, timeout))

    def cancel(self, call_id: str, *, timeout: float | None = None) -> Result:
        """Cancels a call and returns its state. A call that is done keeps its result."""
        return run(self._core.cancel(call_id, timeout))

    def events(self, trace_id: str, *, after: str = "", timeout: float | None = None) -> Generator[Event, None, None]:
        """Yields the events of a trace, those that the server still holds first, until ``timeout``.

        A lost connection is resumed without a gap. Delivery of every event is not guaranteed.
        """
        return iterate(_events.events(self._core.requester, trace_id, after, self._core.requester.end(timeout)))

    def tools(
        self, *, agent: str = "", user: str = "", group: str = "", category: str = "", query: str = "",
        toolset: str = "", timeout: float | None = None,
    ) -> list[Tool]:  # fmt: skip
        """Returns the definitions of tools that match, in a fixed order."""
        return self.tools_as("native", agent=agent, user=user, group=group, category=category, query=query, toolset=toolset, timeout=timeout)

    def tools_as(
        self, format: Format, *, agent: str = "", user: str = "", group: str = "", category: str = "", query: str = "",
        toolset: str = "", timeout: float | None = None,
    ) -> list[Any]:  # fmt: skip
        """Returns the same tools as the ``tools`` member of a provider's request."""
        chosen = {"agent": agent, "user": user, "group": group, "category": category, "q": query, "toolset": toolset}
        return run(self._core.tools(format, chosen, timeout))

    def tool(self, name: str, *, timeout: float | None = None) -> Tool:
        """Returns the definition of the tool with that name or alias."""
        return run(self._core.tool(name, timeout))

    def consents(
        self, *, status: str = "", user: str = "", agent: str = "", tool: str = "", limit: int = 0, cursor: str = "",
        timeout: float | None = None,
    ) -> ConsentPage:  # fmt: skip
        """Returns a page of the inbox."""
        query = {"status": status, "user": user, "agent": agent, "tool": tool, "limit": str(limit or ""), "cursor": cursor}
        return run(_inbox.consents(self._core.requester, query, self._core.requester.end(timeout)))

    def consent(self, consent_id: str, *, timeout: float | None = None) -> Consent:
        """Returns a consent."""
        return run(_inbox.consent(self._core.requester, self.context, consent_id, self._core.requester.end(timeout)))

    def decide(
        self, consent_id: str, *, grant: bool, remember: Remember = "once", never_ask: bool = False, comment: str = "",
        answer: Mapping[str, Any] | None = None, timeout: float | None = None,
    ) -> Consent:  # fmt: skip
        """Grants or denies a consent, as the user of the client's context, and returns it.

        The first decision counts: a later one raises :class:`ConflictError`, and so may our own
        decision that was sent twice. ``answer`` is the answer to a question.
        """
        requester = self._core.requester
        return run(
            _inbox.decide(
                requester, self.context, consent_id, requester.end(timeout),
                grant=grant, remember=remember, never_ask=never_ask, comment=comment, answer=answer,
            )  # fmt: skip
        )

    def wait_consent(self, consent_id: str, *, timeout: float | None = None) -> Consent:
        """Returns a consent when it is decided or expired, or as it is when ``timeout`` ends."""
        return run(_inbox.wait_consent(self._core.requester, self.context, consent_id, self._core.requester.end(timeout)))

    def watch_consents(self, *, user: str = "", timeout: float | None = None) -> Generator[Consent, None, None]:
        """Yields each consent that waits for a user, or for any, within about a second."""
        return iterate(_inbox.watch(self._core.requester, user, self._core.requester.end(timeout)))

    def grants(self, *, user: str = "", timeout: float | None = None) -> list[Grant]:
        """Returns the remembered decisions of a user, or all that the caller may see."""
        return run(_inbox.grants(self._core.requester, user, self._core.requester.end(timeout)))

    def revoke_grant(self, grant_id: str, *, timeout: float | None = None) -> None:
        """Revokes a remembered decision, as the user of the client's context."""
        run(_inbox.revoke_grant(self._core.requester, self.context, grant_id, self._core.requester.end(timeout)))

    def mint_token(
        self, tools: Sequence[str], trace_id: str, *, user: str = "", scopes: Mapping[str, Any] | None = None,
        call_id: str = "", args_hash: str = "", ttl: float | None = None, reusable: bool = False,
        timeout: float | None = None,
    ) -> Token:  # fmt: skip
        """Approves calls before they are made; ``ttl`` is 1 to 86400 seconds, 300 by default."""
        requester = self._core.requester
        return run(
            _inbox.mint_token(
                requester, self.context, requester.end(timeout), tools=tools, trace_id=trace_id, user=user,
                scopes=scopes, call_id=call_id, args_hash=args_hash, ttl=ttl, reusable=reusable,
            )  # fmt: skip
        )

    def files(self, directory: str = "", *, user: str = "", timeout: float | None = None) -> list[File]:
        """Returns the files below a directory of a workspace, by path. Here and in the other methods
        on files the workspace is that of ``user``, or of the user of the client's context."""
        return run(_files.list_files(self._core.requester, directory, user or self.context.user, self._core.requester.end(timeout)))

    def get_file(self, path: str, *, user: str = "", most: int = 1 << 30, timeout: float | None = None) -> bytes:
        """Returns the contents of a file that has at most ``most`` bytes."""
        return run(_files.get_file(self._core.requester, path, user or self.context.user, most, self._core.requester.end(timeout)))

    def stream_file(self, path: str, *, user: str = "", timeout: float | None = None) -> Generator[bytes, None, None]:
        """Yields the contents of a file, piece by piece. It is not tried again."""
        return iterate(_files.stream_file(self._core.requester, path, user or self.context.user, self._core.requester.end(timeout)))

    def put_file(self, path: str, data: Source, *, user: str = "", timeout: float | None = None) -> None:
        """Stores bytes, what an open file holds, or the pieces of an iterable as a file, in one step.

        Bytes are sent again while that may help; another source is read once.
        """
        run(_files.put_file(self._core.requester, path, data, user or self.context.user, self._core.requester.end(timeout)))

    def delete_file(self, path: str, *, user: str = "", timeout: float | None = None) -> None:
        """Removes a file, or an empty directory."""
        run(_files.delete_file(self._core.requester, path, user or self.context.user, self._core.requester.end(timeout)))

    def request(
        self, method: str, path: str, *, query: Mapping[str, str] = {}, body: object = None, timeout: float | None = None
    ) -> Any:
        """Returns the JSON of an operation that has no method here, such as ``GET /v1/groups``."""
        return run(self._core.request(method, path, query, body, timeout))
