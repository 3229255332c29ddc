"""Errors of the client, one class for each kind.

A :class:`RequestError` is the failure of a whole request: none of its calls has a result. A
:class:`CallError` is the failure of one call, with its result. Kinds that a newer server may add
raise the base class, with ``kind`` set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .calls import Result


class HelveError(Exception):
    """The base class of all errors of this package.

    ``kind`` is the error type of the protocol, ``message`` one sentence with the cause and a
    remedy, ``status`` the HTTP status, 0 if no server answered.
    """

    kind: str = ""
    status: int = 0

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" if self.kind else self.message


class RequestError(HelveError):
    """The failure of a whole request. ``retry_after`` is the delay in seconds that the server requests."""

    def __init__(self, message: str, *, kind: str = "", status: int = 0, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.kind = kind or type(self).kind
        self.status = status or type(self).status
        self.retry_after = retry_after


class BadRequestError(RequestError):
    """The request is malformed, or its arguments cannot be encoded; in that case it was not sent."""

    kind = "bad_request"
    status = 400


class UnauthenticatedError(RequestError):
    """The token is missing or not valid."""

    kind = "unauthenticated"


class ForbiddenError(RequestError):
    """The caller may not do this."""

    kind = "forbidden"


class NotFoundError(RequestError):
    """There is no such item, or the caller may not see it."""

    kind = "not_found"


class ConflictError(RequestError):
    """The item has changed, such as a consent that is already decided."""

    kind = "conflict"


class TooLargeError(RequestError):
    """The body is larger than the server accepts."""

    kind = "too_large"


class RateLimitedError(RequestError):
    """The request is beyond a quota."""

    kind = "rate_limited"


class OverloadedError(RequestError):
    """The server has more to do than it can; try again after ``retry_after``."""

    kind = "overloaded"


class UnavailableError(RequestError):
    """The server is not ready."""

    kind = "unavailable"


class UnreachableError(UnavailableError):
    """No server answered. The request may or may not have arrived."""


class ForeignAnswerError(UnreachableError):
    """The answer is not one of a Helve server, or its certificate is not trusted. A retry does not help."""


class DeadlineError(HelveError, TimeoutError):
    """The ``timeout`` of the caller ended. A call that was sent continues: fetch it with ``get``."""

    kind = "deadline"


class ClosedError(HelveError):
    """The client was closed."""

    kind = "closed"


class PendingError(HelveError):
    """The call is not done: the wait ended, or a person must decide first. ``result`` has its state."""

    kind = "pending"
    status = 200

    def __init__(self, message: str, result: Result) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[type[PendingError], tuple[str, Result]]:
        return type(self), (self.message, self.result)


class CallError(HelveError):
    """The failure of one call; its class or ``kind`` is the error type. ``result`` is its result."""

    status = 200

    def __init__(self, result: Result) -> None:
        super().__init__(result.message)
        self.kind = result.error_type or type(self).kind
        self.result = result

    def __reduce__(self) -> tuple[type[CallError], tuple[Result]]:
        return type(self), (self.result,)


def request_error(kind: str, status: int, message: str, retry_after: float) -> RequestError:
    """Returns the error of a kind, or of the status if there is no kind."""
    kind = kind or _kind_of(status)
    known: dict[str, type[RequestError]] = {
        c.kind: c
        for c in (
            BadRequestError, UnauthenticatedError, ForbiddenError, NotFoundError, ConflictError,
            TooLargeError, RateLimitedError, OverloadedError, UnavailableError,
        )
    }  # fmt: skip
    return known.get(kind, RequestError)(message, kind=kind, status=status, retry_after=retry_after)


def _kind_of(status: int) -> str:
    by_status = {
        401: "unauthenticated", 403: "forbidden", 404: "not_found", 409: "conflict",
        413: "too_large", 429: "overloaded",
    }  # fmt: skip
    return by_status.get(status, "unavailable" if status >= 500 else "bad_request")
