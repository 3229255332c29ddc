"""Definitions of tools, files of a workspace and events of calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypedDict

from ._json import moment

Format = Literal["native", "openai", "openai_responses", "anthropic", "gemini", "mcp"]


class Tool(TypedDict, total=False):
    """The definition of a tool, as the server sent it. More members are in docs/fields.md."""

    name: str
    description: str
    category: str
    group: str
    version: str
    aliases: list[str]
    parameters: dict[str, Any]
    result_schema: dict[str, Any]
    example: Any
    risk: str
    confirmation: str
    requires_confirmation: bool
    mutates: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    scopes: dict[str, Any]
    required_permissions: list[str]
    timeout_seconds: float
    tags: list[str]
    pool: str
    kind: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class File:
    """A file of a workspace."""

    path: str = ""
    size: int = 0
    modified: datetime | None = field(default=None, metadata={"read": moment})


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a call.

    ``type`` is ``queued``, ``started``, ``progress``, ``log``, ``partial``, ``awaiting_consent``,
    ``resumed`` or ``done``; the content of ``data`` depends on it. ``id`` orders the events of a
    trace and resumes their stream.
    """

    id: str = ""
    type: str = ""
    time: datetime | None = field(default=None, metadata={"read": moment})
    trace_id: str = ""
    call_id: str = ""
    tool: str = ""
    data: Any = None
