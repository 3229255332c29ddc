"""The answer of a model, assembled from what its provider sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from .._loop import ModelError, Turn


class Assembler(Protocol):
    """Assembles one answer."""

    def event(self, data: Any) -> bool:
        """Processes the next event and reports whether it was the last."""

    def whole(self, answer: Any) -> None:
        """Processes an answer that was not streamed."""

    def turn(self) -> Turn:
        """Returns the answer, or raises the error of an answer that broke off."""


class Speech:
    """The text of a model for the person."""

    def __init__(self, give: Callable[[str], None]) -> None:
        self._give = give
        self._said: list[str] = []

    def say(self, piece: object) -> None:
        """Passes a piece of text on."""
        if isinstance(piece, str) and piece:
            self._said.append(piece)
            self._give(piece)

    def explain(self, why: str) -> None:
        """Adds, in its own paragraph, the reason why there is no text or no further text."""
        self.say("\n\n" + why if self._said else why)

    @property
    def text(self) -> str:
        """All that was said."""
        return "".join(self._said)


def members(value: object) -> dict[str, Any]:
    """Returns an object, or an empty one for another value."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Returns a list, or an empty one for another value."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """Returns a text, or an empty one for another value."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int:
    """Returns a plausible number of tokens, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1 << 28 else 0


def cut() -> ModelError:
    """Returns the error of a stream that ended before its answer did."""
    return ModelError("the model's provider: its answer broke off before its end; ask again", temporary=True)


def malformed(what: str) -> ModelError:
    """Returns the error of an answer that is not in the provider's format."""
    return ModelError(f"the model's provider: {what}; check that the base URL is one of an API of this provider's kind")
