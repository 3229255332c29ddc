"""The interface of ``agents.FunctionTool`` of the package openai-agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class FunctionTool:
    """A tool: ``on_invoke_tool`` gets the context of the call and the arguments as JSON."""

    name: str
    description: str
    params_json_schema: dict[str, Any]
    on_invoke_tool: Callable[[Any, str], Awaitable[Any]]
    strict_json_schema: bool = True


@dataclass
class ToolContext:
    """The context of a call."""

    tool_call_id: str
