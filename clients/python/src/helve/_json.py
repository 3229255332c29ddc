"""JSON as the client writes and reads it.

Numbers keep every digit where the caller asks for it: a ``decimal.Decimal`` is written with all its
digits, and ``parse_float=decimal.Decimal`` reads them.
"""

from __future__ import annotations

import dataclasses
import json
import re
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from .errors import BadRequestError, ForeignAnswerError

T = TypeVar("T")

# The json module writes no number that is neither int nor float, so a Decimal is written as a
# string that no value can contain, and replaced.
_MARK = secrets.token_hex(16)
_MARKED = re.compile(f'"{_MARK}:([^"]*)"')


def encode(value: object, what: str = "the request") -> str:
    """Returns the JSON of a value; a value that has none is a :class:`BadRequestError`."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_other)
        text.encode()
    except UnicodeEncodeError:  # half a character, which only an escape can express
        text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=_other)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadRequestError(f"{what} cannot be encoded as JSON: {error}") from error
    return _MARKED.sub(r"\1", text) if _MARK in text else text


def _other(value: object) -> object:
    if isinstance(value, Decimal) and value.is_finite():
        return f"{_MARK}:{value}"
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON serializable")


def decode(body: bytes, parse_float: Callable[[str], Any] = float) -> Any:
    """Returns the value of an answer; a body that is not JSON is a :class:`ForeignAnswerError`."""
    try:
        return json.loads(body.decode("utf-8", "replace"), parse_float=parse_float)
    except (ValueError, RecursionError) as error:
        raise ForeignAnswerError("the answer is not Helve's; check the server's address") from error


def decode_object(body: bytes, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Returns the object of an answer."""
    value = decode(body, parse_float)
    if not isinstance(value, dict):
        raise ForeignAnswerError("the answer is not Helve's; check the server's address")
    return value


def read(cls: type[T], value: object) -> T:
    """Returns the dataclass of an object. Unknown members are ignored, missing ones have their
    default, and a field's metadata may name a function that reads it."""
    if not isinstance(value, dict):
        raise ForeignAnswerError(f"the answer has no {cls.__name__}; check the server's address and version")
    found: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        name = field.metadata.get("name", field.name)
        member = value.get(name)
        if member is not None:
            convert = field.metadata.get("read")
            found[field.name] = convert(member) if convert else member
    return cls(**found)


def moment(text: object) -> datetime | None:
    """Returns the time of an RFC 3339 text, or None if it is no time."""
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None
