"""Execute: the bodies of requests, and the repetition of calls until each is settled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _retry
from ._json import decode_object, encode, read
from ._requester import Requester, deadline
from ._transport import Operation
from .calls import Call, Consenting, Context, Response, Result, Telling, new_call_id, new_trace_id
from .errors import DeadlineError, ForeignAnswerError, RequestError


@dataclass
class Batch:
    """The calls of a request, encoded once for all attempts: ``calls``, or those in the message of
    a model, which is repeated as a whole."""

    head: dict[str, Any]
    calls: list[str] | None
    consent_wait: bool
    open: list[int] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def body(self, wait: float | None) -> bytes:
        """Returns the body with the calls that are open; None leaves the wait to the server."""
        head = dict(self.head)
        if wait is not None:
            head["wait_ms"] = millis(wait)
        text = encode(head)
        if self.calls is not None:
            rest = ",".join(self.calls[i] for i in self.open)
            text = f'{text[:-1]}{"," if head else ""}"calls":[{rest}]}}'
        return text.encode()

    def settle(self, got: Sequence[Result], may_wait: bool) -> bool:
        """Stores the results of the open calls, keeps those open that must be repeated, and reports
        whether one was refused as overloaded: such an answer is not the call's result."""
        if self.calls is None:
            self.open, self.results = list(range(len(got))), [Result()] * len(got)
        elif len(got) != len(self.open):
            raise ForeignAnswerError("the server did not answer each call; check its address and version")
        again, refused = [], False
        for i, result in zip(self.open, got, strict=True):
            self.results[i] = result
            if result.status == "error" and result.error_type == "overloaded":
                refused = True
                again.append(i)
            elif result.status == "pending" and may_wait and (self.consent_wait or not result.awaits_person):
                again.append(i)
        self.open = again
        return refused


def batch(
    calls: Sequence[Call], context: Context, trace_id: str, consent: Consenting, callback: Mapping[str, Any] | None,
    *, named: bool,
) -> Batch:  # fmt: skip
    """Returns the calls of a request. With ``named`` each call and the trace get an id if they have
    none, so that they can be repeated."""
    encoded = []
    for at, call in enumerate(calls):
        wire = {
            "call_id": call.call_id or (new_call_id() if named else ""), "tool_call_id": call.tool_call_id,
            "tool": call.tool, "arguments": call.arguments, "confirm_token": call.confirm_token,
            "priority": "" if call.priority == "interactive" else call.priority,
            "timeout_ms": millis(call.timeout), "wait_for_worker": call.wait_for_worker,
        }  # fmt: skip
        encoded.append(encode(_given(wire, keep="tool"), f"call {at} ({call.tool})"))
    head = _head(context, trace_id or (new_trace_id() if named else ""), consent, callback)
    return Batch(head, encoded, consent == "wait", list(range(len(encoded))), [Result()] * len(encoded))


def message(
    format: str, body: object, context: Context, trace_id: str, consent: Telling, callback: Mapping[str, Any] | None,
    prefix: str, priority: str, *, named: bool,
) -> Batch:  # fmt: skip
    """Returns the request for a model's message. With ``named`` its calls get a prefix of their ids
    if there is none."""
    head = _head(context, trace_id or (new_trace_id() if named else ""), consent, callback)
    head |= {"format": format, "message": body}
    head |= _given({"call_id_prefix": prefix or (new_call_id() if named else ""), "priority": priority})
    return Batch(head, None, consent == "wait")


def _head(context: Context, trace_id: str, consent: str, callback: Mapping[str, Any] | None) -> dict[str, Any]:
    names = {"user": context.user, "agent": context.agent, "conversation": context.conversation, "toolset": context.toolset}
    return _given(
        {"context": _given(names), "trace_id": trace_id, "consent": "" if consent == "return" else consent, "callback": callback}
    )


def _given(members: dict[str, Any], keep: str = "") -> dict[str, Any]:
    """Returns the members that have a value; arguments may be empty."""
    return {k: v for k, v in members.items() if k == keep or (v is not None if k == "arguments" else v)}


class Executor:
    """Runs the calls of a request."""

    def __init__(self, requester: Requester, parse_float: Any) -> None:
        self._requester = requester
        self._parse_float = parse_float

    async def execute(self, calls: Batch, wait: float, end: float) -> Response:
        """Returns when every call is done or waits for a person, or when ``wait`` is over. When
        ``end`` comes first, the last answer is returned if there was one."""
        if self._requester.retry_for <= 0:
            answer = await self._once(calls, wait, wait + _retry.ANSWER_MARGIN, end)
            calls.settle(answer.results, False)
            return answer
        return await self._repeat(calls, wait, end)

    async def _repeat(self, calls: Batch, wait: float, end: float) -> Response:
        requester, now = self._requester, self._requester.network.now
        response: Response | None = None
        last: RequestError | None = None
        heard = now()
        until = heard + wait
        answers = attempt = 0
        while True:
            left = max(until - now(), 0)
            part = _retry.wait_slice(answers, left)
            try:
                answer = await self._once(calls, part, part + _retry.margin_after(attempt), end)
                last, hint = None, answer.retry_after
            except DeadlineError as error:
                if response is None:
                    raise deadline(last) from error
                return response
            except RequestError as error:
                if not requester.again(error, heard):
                    raise
                last, hint = error, error.retry_after
            if last is None:
                answers += 1
                refused = calls.settle(answer.results, left > 0)
                response = Response(answer.trace_id, list(calls.results), answer.messages, answer.retry_after)
                if not calls.open or refused and requester.overdue(heard):
                    return response
                if not refused:
                    heard, attempt = now(), 0  # the server works; the calls take long
                    continue
            if not await requester.wait(_retry.backoff(attempt, hint), end):
                if response is None:
                    raise deadline(last)
                return response
            attempt += 1

    async def _once(self, calls: Batch, wait: float, patience: float, end: float) -> Response:
        op = Operation("POST", "/v1/execute", body=calls.body(wait), patience=patience)
        got = await self._requester.once(op, end)
        told = decode_object(got.body, self._parse_float)
        results = told.get("results")
        if not isinstance(results, list):
            raise ForeignAnswerError("the server did not answer each call; check its address and version")
        messages = told.get("messages")
        return Response(
            str(told.get("trace_id") or ""), [read(Result, r) for r in results],
            messages if isinstance(messages, list) else None, got.retry_after,
        )  # fmt: skip


def millis(seconds: float) -> int:
    """Returns whole milliseconds, rounded up, so that a short time does not become 0."""
    return math.ceil(seconds * 1000) if seconds > 0 else 0
