"""Errors as providers report them."""

from __future__ import annotations

import re
from typing import Any

from .._loop import ModelError
from ._answer import items, members, string

LONGEST_MESSAGE = 800

# Kinds of temporary errors: OpenAI's, Anthropic's and those of Google's APIs.
_PASSING = {
    "server_error", "rate_limit_exceeded", "internal_server_error", "api_error", "overloaded_error",
    "rate_limit_error", "timeout_error", "ABORTED", "DEADLINE_EXCEEDED", "INTERNAL", "RESOURCE_EXHAUSTED",
    "UNAVAILABLE",
}  # fmt: skip


def passing(status: int) -> bool:
    """Reports whether a request that got a status may succeed later. Anthropic uses 529 for an overload."""
    return status in (408, 409, 429, 500, 502, 503, 504, 529)


def failed(told: Any) -> ModelError:
    """Returns the error that arrived in the middle of an answer."""
    words, kinds, wait = _read(told)
    temporary = any(kind in _PASSING or kind.isdigit() and passing(int(kind[:4])) for kind in kinds)
    return _error(0, words or ", ".join(["an error without a message", *kinds]), temporary, wait)


def refused(status: int, told: Any, text: str, phrase: str, retry_after: float) -> ModelError:
    """Returns the error of an answer with a status other than 2xx."""
    words, _, wait = _read(told)
    if not words and text.strip()[:1] not in ("<", "{", "["):
        words = text.strip()
    return _error(status, words or phrase.lower(), passing(status), max(retry_after, wait))


def _error(status: int, words: str, temporary: bool, wait: float) -> ModelError:
    """Puts the remedy in front of a provider's words; behind them it might be cut off."""
    if status // 100 == 3:
        words = "it has moved, and the key is not sent after it; set the base URL to its new place"
    elif status in (401, 403):
        words = "check the key; it says: " + words
    elif status == 404:
        words = "check the model's name and the base URL; it says: " + words
    elif temporary:
        words = "ask again later; it says: " + words
    answered = f"the model's provider answered {status}: " if status else "the model's provider: "
    return ModelError(answered + words, status=status, temporary=temporary, retry_after=wait if temporary else 0.0)


def discreet(error: ModelError, key: str) -> ModelError:
    """Returns an error that can be shown: without the key, without control characters, not too long."""
    text = error.message.replace(key, "[key]") if key else error.message
    text = re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text)
    if len(text) > LONGEST_MESSAGE:
        text = text[:LONGEST_MESSAGE] + "…"
    return ModelError(text, status=error.status, temporary=error.temporary, retry_after=error.retry_after)


def _read(told: Any) -> tuple[str, list[str], float]:
    """Returns the words, the kinds and the delay of an error: an object with an error that is an
    object or a text, or such an object itself, or a list of one."""
    if isinstance(told, list) and told:
        told = told[0]
    fault = members(told)
    for _ in range(2):
        if isinstance(fault.get("error"), dict):
            fault = fault["error"]
    words = string(fault.get("error")) or string(fault.get("message")) or string(fault.get("detail"))
    kinds = [str(fault[name]) for name in ("type", "code", "status") if fault.get(name) is not None]
    wait = 0.0
    for detail in items(fault.get("details")):
        # google.rpc.RetryInfo, such as "34s", in place of the header that others use.
        if delay := re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]+)?)s", string(members(detail).get("retryDelay"))):
            wait = float(delay[1])
    return words, kinds, wait
