"""Calls and their results."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ._json import encode, read
from .callerrors import call_error
from .errors import HelveError, PendingError

Consenting = Literal["return", "wait"]
Telling = Literal["return", "wait", "tell"]
Priority = Literal["interactive", "batch"]


@dataclass(frozen=True, slots=True)
class Context:
    """The person, agent, conversation and tool set of a request; each has 1 to 64 letters, digits,
    underscores and hyphens, or is empty. A tool set, such as ``code``, bounds the tools that are
    listed and called."""

    user: str = ""
    agent: str = ""
    conversation: str = ""
    toolset: str = ""

    def over(self, default: Context) -> Context:
        """Returns this context with empty fields taken from ``default``."""
        return Context(
            self.user or default.user, self.agent or default.agent, self.conversation or default.conversation,
            self.toolset or default.toolset,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool.

    ``arguments`` is a mapping that encodes as a JSON object, or a string that contains one.
    ``call_id`` is the idempotency key: a call with the same id never runs twice. ``timeout`` bounds
    the run of the tool, in seconds; 0 is the tool's own bound. ``wait_for_worker`` queues the call
    even if no worker has the tool.
    """

    tool: str
    arguments: Mapping[str, Any] | str | None = None
    call_id: str = ""
    tool_call_id: str = ""
    confirm_token: str = ""
    priority: Priority = "interactive"
    timeout: float = 0.0
    wait_for_worker: bool = False


@dataclass(frozen=True, slots=True)
class ResultRef:
    """A reference to a result that was too large for its message."""

    object: str = ""
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of the workspace that a call wrote; ``type`` is its media type."""

    path: str = ""
    size: int = 0
    type: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The state of one call.

    ``status`` is ``success``, ``error`` or ``pending``, ``state`` is ``queued``, ``running``,
    ``awaiting_consent``, ``waiting`` or ``done``. ``waiting_for`` lists the things that a program
    waits for, in the state ``waiting``, each with ``kind``: ``call``, ``consent``, ``answer`` or
    ``sleep``, and ``call_id``, ``consent_id`` or ``until``. ``value`` is the tool's result, any JSON value; ``text``, if
    the tool has such a form, is shown to a model in its place. ``duration`` is the running time of
    the tool in seconds.
    """

    call_id: str = ""
    tool_call_id: str = ""
    trace_id: str = ""
    tool: str = ""
    status: str = ""
    state: str = ""
    value: Any = field(default=None, metadata={"name": "result"})
    text: str | None = None
    error_type: str = ""
    message: str = ""
    consent_id: str = ""
    waiting_for: Sequence[Mapping[str, Any]] = ()
    truncated: bool = False
    notes: Sequence[str] = ()
    duration: float = field(default=0.0, metadata={"name": "duration_ms", "read": lambda ms: float(ms) / 1000})
    attempt: int = 0
    worker: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    ref: ResultRef | None = field(default=None, metadata={"name": "result_ref", "read": lambda v: read(ResultRef, v)})

    @property
    def ok(self) -> bool:
        """Reports whether the call succeeded."""
        return self.status == "success"

    @property
    def awaits_person(self) -> bool:
        """Reports whether a person must decide or answer before the call goes on: about the call
        itself, or about a step of the program that it is."""
        kinds = {wait.get("kind") for wait in self.waiting_for}
        return self.state == "awaiting_consent" or self.state == "waiting" and not kinds.isdisjoint(("consent", "answer"))

    @property
    def files(self) -> list[WrittenFile]:
        """The files of the workspace that the call wrote."""
        listed = self.metadata.get("files")
        return [read(WrittenFile, f) for f in listed if isinstance(f, dict)] if isinstance(listed, list) else []

    def error(self) -> HelveError | None:
        """Returns None for a success, a :class:`CallError` for a failure and a :class:`PendingError`
        for a call that is not done."""
        if self.ok:
            return None
        if self.status == "pending":
            waits = f"waits for consent {self.consent_id}" if self.consent_id else f"is {self.state}"
            return PendingError(f"the call is not done: {self.call_id} {waits}", self)
        return call_error(self)

    def check(self) -> Result:
        """Returns the result of a success, and raises the error of another outcome."""
        error = self.error()
        if error is not None:
            raise error
        return self

    def for_model(self) -> str:
        """Returns the content of a tool message, as ``execute`` writes it for a model's message."""
        if self.status == "pending":
            return encode({"status": "pending", "message": self._pending(), "call_id": self.call_id})
        if not self.ok:
            return encode({"status": "error", "error_type": self.error_type, "message": self.message})
        content: dict[str, Any] = {"status": "success", "result": self.value if self.text is None else self.text}
        if self.notes:
            content["notes"] = list(self.notes)
        return encode(content)

    def _pending(self) -> str:
        """Returns the sentence about a call without a result."""
        after = " It goes on by itself; do not make it again."
        if self.state != "waiting":
            waits = "a person must approve it first" if self.consent_id else "it is still running"
            return f"The call has no result yet: {waits}." + (after if self.consent_id else "")
        kinds = [wait.get("kind") for wait in self.waiting_for]
        times = sorted(str(wait["until"]) for wait in self.waiting_for if "until" in wait)
        waits = (
            "it waits for the answer of a person" if "answer" in kinds
            else "a person must approve one of its calls" if "consent" in kinds
            else f"it waits until {times[0]}" if times
            else "its calls still run"
        )  # fmt: skip
        return f"The program has no result yet: {waits}.{after}"

    def with_value(self, value: Any) -> Result:
        """Returns the result with another value."""
        return replace(self, value=value)


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to an execute: one result for each call, in order.

    ``messages`` answers a model's message: the items to append to the conversation, in its
    provider's format; None while a call is pending. ``retry_after`` is the delay in seconds that
    the server requests before refused calls are sent again.
    """

    trace_id: str = ""
    results: list[Result] = field(default_factory=list)
    messages: list[Any] | None = None
    retry_after: float = 0.0


def new_call_id() -> str:
    """Returns a unique call_id, a UUIDv7."""
    stamp = time.time_ns() // 1_000_000
    bits = (stamp & (1 << 48) - 1) << 80 | secrets.randbits(80)
    bits = bits & ~(0xF << 76) | 0x7 << 76
    bits = bits & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=bits))


def new_trace_id() -> str:
    """Returns a trace id of W3C Trace Context."""
    return secrets.token_hex(16)
