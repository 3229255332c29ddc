"""Anthropic's Messages, after its API reference (messages and messages-streaming)."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from .._loop import Turn
from ._answer import Speech, count, cut, items, malformed, members, string
from ._fault import failed

_TEXTS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


class Blocks:
    """Assembles the blocks of a message."""

    def __init__(self, speech: Speech, position: int) -> None:
        self._speech = speech
        self._blocks: list[dict[str, Any]] = []
        self._inputs: dict[int, list[str]] = {}
        self._began = self._ended = False
        self._stop: dict[str, Any] = {}
        self._tokens: dict[str, int] = {}

    def event(self, data: Any) -> bool:
        """Processes an event. Unknown types are ignored, as Anthropic requires for future ones."""
        event = members(data)
        kind, index = event.get("type"), event.get("index")
        if kind == "message_start":
            self._start(members(event.get("message")))
        elif kind == "content_block_start":
            if index != len(self._blocks):
                raise malformed("the blocks of its answer are out of order")
            self._open(event.get("content_block"))
        elif kind == "content_block_delta":
            if not isinstance(index, int) or not 0 <= index < len(self._blocks):
                raise malformed("its answer continues a block that never began")
            self._grow(index, members(event.get("delta")))
        elif kind == "message_delta":
            self._count(event.get("usage"))
            self._stop |= members(event.get("delta"))
        elif kind == "message_stop":
            self._ended = True
        elif kind == "error":
            raise failed(data)
        return self._ended

    def whole(self, answer: Any) -> None:
        """Processes a Message."""
        if members(answer).get("type") == "error":
            raise failed(answer)
        self._ended = True
        self._start(members(answer))

    def _start(self, message: dict[str, Any]) -> None:
        if not isinstance(message.get("content"), list):
            raise malformed("its answer is no Message")
        self._began, self._stop = True, dict(message)
        self._count(message.get("usage"))
        for block in message["content"]:
            self._open(block)

    def _count(self, usage: object) -> None:
        """Counts for the whole message; a number that an event leaves out keeps its value."""
        told = members(usage)
        self._tokens |= {name: count(told[name]) for name in _COUNTS if told.get(name) is not None}

    def _open(self, block: object) -> None:
        if not isinstance(block, dict):
            raise malformed("a block of its answer is none of a Message's")
        self._blocks.append(dict(block))
        if block.get("type") == "text":
            self._speech.say(block.get("text"))

    def _grow(self, index: int, delta: dict[str, Any]) -> None:
        block, kind = self._blocks[index], string(delta.get("type"))
        if kind in _TEXTS:
            name = _TEXTS[kind]
            block[name] = string(block.get(name)) + string(delta.get(name))
            if kind == "text_delta" and block.get("type") == "text":
                self._speech.say(delta.get("text"))
        elif kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(string(delta.get("partial_json")))
        elif kind == "citations_delta" and delta.get("citation") is not None:
            block["citations"] = [*items(block.get("citations")), delta["citation"]]

    def turn(self) -> Turn:
        """Returns the answer."""
        if not (self._began and self._ended):
            raise cut()
        reason = string(self._stop.get("stop_reason"))
        refused = reason == "refusal"
        if refused:
            why = string(members(self._stop.get("stop_details")).get("explanation"))
            self._speech.explain(why or "The provider declined to answer.")
        blocks = [self._finished(at, block) for at, block in enumerate(self._blocks)]
        message = {"role": "assistant", "content": blocks} | ({"stop_reason": reason} if reason else {})
        # Sent back, a message must not be empty, nor have text that is blank or input that is no object.
        kept = [_sent(block) for block in blocks if not _blank(block)]
        append = [{"role": "assistant", "content": kept}] if kept else []
        calls = sum(block.get("type") == "tool_use" for block in blocks)
        long = reason in ("max_tokens", "model_context_window_exceeded")
        return Turn(message, append, self._speech.text, calls, refused, long, sum(self._tokens.values()))

    def _finished(self, at: int, block: dict[str, Any]) -> dict[str, Any]:
        if at in self._inputs:
            text = "".join(self._inputs[at])
            try:
                return {**block, "input": json.loads(text, parse_float=Decimal) if text else members(block.get("input"))}
            except ValueError:  # the server reports what is wrong with it
                return {**block, "input": text}
        if string(block.get("type")).endswith("tool_use") and block.get("input") is None:
            return {**block, "input": {}}
        return block


def _blank(block: dict[str, Any]) -> bool:
    return block.get("type") == "text" and not string(block.get("text")).strip()


def _sent(block: dict[str, Any]) -> dict[str, Any]:
    return {**block, "input": members(block["input"])} if "input" in block else block
