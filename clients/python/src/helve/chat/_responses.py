"""OpenAI's Responses, after its API reference."""

from __future__ import annotations

from typing import Any

from .._loop import ModelError, Turn
from ._answer import Speech, count, cut, items, malformed, members, string
from ._fault import failed


class Responses:
    """Waits for the event that has the complete answer."""

    def __init__(self, speech: Speech, position: int) -> None:
        self._speech = speech
        self._answer: dict[str, Any] | None = None

    def event(self, data: Any) -> bool:
        """Processes an event."""
        event = members(data)
        kind = event.get("type")
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            self._speech.say(event.get("delta"))
        elif kind in ("response.completed", "response.incomplete", "response.failed"):
            self.whole(event.get("response"))
            return True
        elif kind == "error" or not kind and event.get("error") is not None:
            raise failed(data)
        return False

    def whole(self, answer: Any) -> None:
        """Processes a Response."""
        told = members(answer)
        if told.get("error") is not None:
            raise failed(told["error"])
        if told.get("status") in ("failed", "cancelled"):
            raise ModelError("the model's provider: it gave up without a reason; ask again", temporary=True)
        if not isinstance(told.get("output"), list):
            raise malformed("its answer has no output")
        self._answer = told

    def turn(self) -> Turn:
        """Returns the answer."""
        if self._answer is None:
            raise cut()
        calls, refused = 0, False
        streamed = bool(self._speech.text)
        for item in self._answer["output"]:
            if not isinstance(item, dict):
                raise malformed("an item of its output is none of a Response's")
            calls += item.get("type") == "function_call"
            for part in map(members, items(item.get("content")) if item.get("type") == "message" else []):
                refused = refused or part.get("type") == "refusal"
                if not streamed:
                    self._speech.say(part.get("text"))
                    self._speech.say(part.get("refusal"))
        reason = string(members(self._answer.get("incomplete_details")).get("reason"))
        if reason == "content_filter":
            self._speech.explain("The provider's content filter stopped the answer.")
            refused = True
        tokens = count(members(self._answer.get("usage")).get("total_tokens"))
        return Turn(
            self._answer, self._answer["output"], self._speech.text, calls, refused, reason == "max_output_tokens", tokens
        )
