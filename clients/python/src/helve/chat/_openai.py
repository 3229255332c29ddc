"""OpenAI's Chat Completions and compatible servers, after OpenAI's API reference."""

from __future__ import annotations

from typing import Any

from .._json import encode
from .._loop import Turn
from ._answer import Speech, count, cut, items, malformed, members, string
from ._fault import failed


class Completion:
    """Assembles the chunks of one choice."""

    def __init__(self, speech: Speech, position: int) -> None:
        self._speech = speech
        self._position = position
        self._content: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._by_index: dict[int, dict[str, Any]] = {}
        self._answered = self._whole = False
        self._finish = ""
        self._tokens = 0

    def event(self, data: Any) -> bool:
        """Processes a chunk. None is the last: the usage follows the finish_reason."""
        chunk = members(data)
        if chunk.get("error") is not None:
            raise failed(data)
        self._tokens = max(self._tokens, count(members(chunk.get("usage")).get("total_tokens")))
        for choice in map(members, items(chunk.get("choices"))):
            if choice.get("index") not in (0, None):
                continue
            self._answered = True
            self._finish = string(choice.get("finish_reason")) or self._finish
            self._add(members(choice.get("delta")))
            self._add(members(choice.get("message")))
        return False

    def whole(self, answer: Any) -> None:
        """Processes an answer in one piece."""
        self._whole = True
        self.event(answer)

    def _add(self, delta: dict[str, Any]) -> None:
        text = _text(delta.get("content"))
        self._content.append(text)
        self._speech.say(text)
        self._refusal.append(string(delta.get("refusal")))
        self._speech.say(delta.get("refusal"))
        for i, fragment in enumerate(map(members, items(delta.get("tool_calls")))):
            self._grow(self._find(fragment, i == 0), fragment)

    def _find(self, fragment: dict[str, Any], first: bool) -> dict[str, Any]:
        """Returns the call of a fragment. Its index identifies it on servers that follow OpenAI;
        some write 0 for every call, so a new id begins a new call, and some write none, so a name
        begins one, unless the chunk before had the same id."""
        index, id = fragment.get("index"), string(fragment.get("id"))
        if isinstance(index, int):
            known = self._by_index.get(index)
            if known is None or id and known["id"] and id != known["id"]:
                known = self._by_index[index] = self._begin()
            return known
        if self._calls and not self._begins(fragment, id, first):
            return self._calls[-1]
        return self._begin()

    def _begins(self, fragment: dict[str, Any], id: str, first: bool) -> bool:
        if first and id and id == self._calls[-1]["id"]:
            return False
        return bool(id or members(fragment.get("function")).get("name"))

    def _begin(self) -> dict[str, Any]:
        self._calls.append({"id": "", "name": "", "arguments": [], "rest": {}})
        return self._calls[-1]

    def _grow(self, call: dict[str, Any], fragment: dict[str, Any]) -> None:
        function = members(fragment.get("function"))
        call["id"] = call["id"] or string(fragment.get("id"))
        call["name"] = call["name"] or string(function.get("name"))  # some servers repeat it
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            call["arguments"].append(arguments)
        elif arguments is not None:
            call["arguments"].append(encode(arguments))
        # Further members are expected back, such as Gemini's signature of a thought.
        call["rest"] |= {k: v for k, v in fragment.items() if k not in ("index", "id", "type", "function")}

    def _finished(self, at: int, call: dict[str, Any]) -> dict[str, Any]:
        # The result of a call refers to its id, so a call without one gets one.
        function = {"name": call["name"], "arguments": "".join(call["arguments"]) or "{}"}
        return {"id": call["id"] or f"call_{self._position}_{at}", "type": "function", "function": function, **call["rest"]}

    def turn(self) -> Turn:
        """Returns the answer. A finish_reason is required rather than the mark [DONE], which
        proxies write even if the stream behind them broke off."""
        if not self._whole and not self._finish:
            raise cut()
        if not self._answered:
            raise malformed("its answer has no choice")
        calls = [self._finished(at, call) for at, call in enumerate(self._calls)]
        content, refusal = "".join(self._content), "".join(self._refusal)
        message: dict[str, Any] = {"role": "assistant"}
        message["content"] = content if content or not (refusal or calls) else None
        message |= {k: v for k, v in {"refusal": refusal, "tool_calls": calls}.items() if v}
        filtered = self._finish == "content_filter"
        if filtered:
            self._speech.explain("The provider's content filter stopped the answer.")
        return Turn(
            message, [message], self._speech.text, len(calls), bool(refusal) or filtered,
            self._finish == "length", self._tokens,
        )  # fmt: skip


def _text(content: object) -> str:
    """Returns the text of content: a text, or a list of parts, of which those of type text count."""
    if isinstance(content, list):
        return "".join(string(part.get("text")) for part in map(members, content) if part.get("type") == "text")
    return string(content)
