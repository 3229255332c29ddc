"""Gemini's generateContent, after the reference of the Gemini API."""

from __future__ import annotations

from typing import Any

from .._loop import ModelError, Turn
from ._answer import Speech, count, cut, items, malformed, members, string
from ._fault import failed

_DECLINED = {
    "SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
}  # fmt: skip
_SPOILT = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"}


class Contents:
    """Assembles the parts of the first candidate."""

    def __init__(self, speech: Speech, position: int) -> None:
        self._speech = speech
        self._parts: list[dict[str, Any]] = []
        self._growing = False
        self._finish = self._remark = self._blocked = ""
        self._calls = self._tokens = 0

    def event(self, data: Any) -> bool:
        """Processes a chunk. None is marked as the last."""
        chunk = members(data)
        if chunk.get("error") is not None:
            raise failed(data)
        self._tokens = max(self._tokens, count(members(chunk.get("usageMetadata")).get("totalTokenCount")))
        feedback = members(chunk.get("promptFeedback"))
        if blocked := string(feedback.get("blockReason")):
            self._blocked, self._remark = blocked, string(feedback.get("blockReasonMessage"))
        for candidate in map(members, items(chunk.get("candidates"))):
            if candidate.get("index") not in (0, None):
                continue
            if finish := string(candidate.get("finishReason")):
                self._finish, self._remark = finish, string(candidate.get("finishMessage"))
            for part in items(members(candidate.get("content")).get("parts")):
                self._add(part)
        return False

    def whole(self, answer: Any) -> None:
        """Processes a chunk, or a list of chunks, as the API streams without alt=sse."""
        for chunk in answer if isinstance(answer, list) else [answer]:
            self.event(chunk)

    def _add(self, part: Any) -> None:
        """Appends a part. Text extends the part before if both have text only: Gemini checks
        signatures against the parts that they arrived with."""
        if not isinstance(part, dict):
            raise malformed("a part of its answer is none of generateContent's")
        self._calls += part.get("functionCall") is not None or part.get("function_call") is not None
        text, thought = part.get("text"), part.get("thought") is True
        if not isinstance(text, str) or thought or set(part) - {"text", "thought"}:
            self._parts.append(part)
            self._growing = False
        elif text and self._growing:
            self._parts[-1]["text"] += text
        elif text:  # the last chunk often has an empty one, which Gemini would refuse in a request
            self._parts.append({"text": text})
            self._growing = True
        if not thought:
            self._speech.say(text)

    def turn(self) -> Turn:
        """Returns the answer."""
        if not self._finish and not self._blocked:
            raise cut()
        usual = self._finish in ("STOP", "MAX_TOKENS")
        refused = self._finish in _DECLINED or not self._finish or usual and bool(self._blocked)
        if self._finish in _SPOILT or not (refused or usual or self._parts):
            why = f"; it says: {self._remark}" if self._remark else ""
            raise ModelError(f"the model's provider: the model ended without an answer ({self._finish}); ask again{why}", temporary=True)
        if refused:
            self._speech.explain(self._remark or f"The provider declined to answer ({self._blocked or self._finish}).")
        message = {"role": "model", "parts": self._parts}
        # Gemini refuses content without parts.
        append = [message] if self._parts else []
        return Turn(message, append, self._speech.text, self._calls, refused, self._finish == "MAX_TOKENS", self._tokens)
