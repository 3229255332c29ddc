"""The differences between the providers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote

from ._anthropic import Blocks
from ._answer import Assembler, Speech
from ._gemini import Contents
from ._openai import Completion
from ._responses import Responses

Provider = Literal["openai", "openai_responses", "anthropic", "gemini"]

OPENAI = "https://api.openai.com/v1"


@dataclass(frozen=True)
class Options:
    """The options of a model."""

    provider: Provider
    model: str
    key: str = field(repr=False)
    base_url: str
    system: str
    max_tokens: int
    idle: float


@dataclass(frozen=True)
class Dialect:
    """A provider: its address, the header of its key, and how it writes requests and answers."""

    base_url: str
    key_header: str
    key_prefix: str
    path: Callable[[Options], str]
    user: Callable[[str], Any]
    body: Callable[[Options, list[Any], list[Any]], dict[str, Any]]
    assembler: Callable[[Speech, int], Assembler]
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


def _message(text: str) -> Any:
    return {"role": "user", "content": text}


def _openai_body(o: Options, conversation: list[Any], tools: list[Any]) -> dict[str, Any]:
    system = [{"role": "system", "content": o.system}] if o.system else []
    # Newer models of OpenAI accept only the first name, compatible servers often only the second.
    longest = "max_completion_tokens" if o.base_url == OPENAI else "max_tokens"
    return {
        "model": o.model, "messages": system + conversation, "tools": tools, longest: o.max_tokens, "stream": True,
        "stream_options": {"include_usage": True},
    }  # fmt: skip


def _responses_body(o: Options, conversation: list[Any], tools: list[Any]) -> dict[str, Any]:
    # store is false because the conversation is the caller's and is sent in full each time.
    return {
        "model": o.model, "instructions": o.system, "input": conversation, "tools": tools,
        "max_output_tokens": o.max_tokens, "stream": True, "store": False,
    }  # fmt: skip


def _anthropic_body(o: Options, conversation: list[Any], tools: list[Any]) -> dict[str, Any]:
    return {
        "model": o.model, "max_tokens": o.max_tokens or 8192, "system": o.system, "messages": conversation,
        "tools": tools, "stream": True,
    }  # fmt: skip


def _gemini_body(o: Options, conversation: list[Any], tools: list[Any]) -> dict[str, Any]:
    return {
        "contents": conversation, "tools": tools,
        "systemInstruction": {"parts": [{"text": o.system}]} if o.system else None,
        "generationConfig": {"maxOutputTokens": o.max_tokens} if o.max_tokens else None,
    }  # fmt: skip


def _gemini_path(o: Options) -> str:
    """Accepts the name of a model, or its collection and name: tunedModels/mine."""
    name = o.model if "/" in o.model else "models/" + o.model
    return f"/v1beta/{quote(name)}:streamGenerateContent"


def _gemini_user(text: str) -> Any:
    return {"role": "user", "parts": [{"text": text}]}


DIALECTS: Mapping[str, Dialect] = {
    "openai": Dialect(
        OPENAI, "Authorization", "Bearer ", lambda o: "/chat/completions", _message, _openai_body, Completion
    ),
    "openai_responses": Dialect(
        OPENAI, "Authorization", "Bearer ", lambda o: "/responses", _message, _responses_body, Responses
    ),
    "anthropic": Dialect(
        "https://api.anthropic.com", "X-Api-Key", "", lambda o: "/v1/messages", _message, _anthropic_body, Blocks,
        headers={"Anthropic-Version": "2023-06-01"},
    ),
    "gemini": Dialect(
        "https://generativelanguage.googleapis.com", "X-Goog-Api-Key", "", _gemini_path, _gemini_user, _gemini_body,
        Contents, query={"alt": "sse"},
    ),
}  # fmt: skip


def no_tools(tools: list[Any]) -> bool:
    """Reports whether no tool is defined, in any of the formats: providers refuse an empty list."""
    return not any(isinstance(t, dict) and (t.get("functionDeclarations") or set(t) - {"functionDeclarations"}) for t in tools)
