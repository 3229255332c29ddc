"""The failures of calls: one class for each error type of the protocol, which is a closed set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import CallError

if TYPE_CHECKING:
    from .calls import Result


class ToolNotFoundError(CallError):
    """There is no tool of that name."""

    kind = "tool_not_found"


class ToolNotAvailableError(CallError):
    """The tool is disabled, or no worker has it."""

    kind = "tool_not_available"


class ItemNotFoundError(CallError):
    """The item that the tool was called for does not exist."""

    kind = "not_found"


class ValidationError(CallError):
    """The arguments do not match the tool's parameters."""

    kind = "validation_error"


class ConfirmationRequiredError(CallError):
    """The call needs a confirm token or a grant."""

    kind = "confirmation_required"


class PermissionDeniedError(CallError):
    """A person denied the call."""

    kind = "permission_denied"


class PolicyDeniedError(CallError):
    """A rule of the operator forbids the call."""

    kind = "policy_denied"


class ConsentExpiredError(CallError):
    """No person decided in time."""

    kind = "consent_expired"


class CallTimeoutError(CallError):
    """The tool took longer than it may."""

    kind = "timeout"


class CancelledCallError(CallError):
    """The call was cancelled before it did anything."""

    kind = "cancelled"


class ExecutionError(CallError):
    """The tool failed."""

    kind = "execution_error"


class PathNotAllowedError(CallError):
    """The path is outside the workspace."""

    kind = "path_not_allowed"


class MissingFileError(CallError):
    """The file does not exist."""

    kind = "file_not_found"


class FileTooLargeError(CallError):
    """The file is larger than the tool reads or writes."""

    kind = "file_too_large"


class NetworkError(CallError):
    """A server outside could not be reached, or the guard refused it."""

    kind = "network_error"


class CallRateLimitedError(CallError):
    """The call is beyond a quota."""

    kind = "rate_limited"


class CallOverloadedError(CallError):
    """Too many calls wait. This answer is not stored: the same call_id may be sent again."""

    kind = "overloaded"


class NotConfiguredError(CallError):
    """A credential or service is missing."""

    kind = "not_configured"


class OutcomeUnknownError(CallError):
    """A call with side effects was interrupted: it may or may not have happened."""

    kind = "outcome_unknown"


class UnsupportedError(CallError):
    """The tool cannot do this."""

    kind = "unsupported"


class InternalError(CallError):
    """A fault of Helve itself."""

    kind = "internal"


ALL: tuple[type[CallError], ...] = (
    ToolNotFoundError, ToolNotAvailableError, ItemNotFoundError, ValidationError,
    ConfirmationRequiredError, PermissionDeniedError, PolicyDeniedError, ConsentExpiredError,
    CallTimeoutError, CancelledCallError, ExecutionError, PathNotAllowedError, MissingFileError,
    FileTooLargeError, NetworkError, CallRateLimitedError, CallOverloadedError,
    NotConfiguredError, OutcomeUnknownError, UnsupportedError, InternalError,
)  # fmt: skip

_BY_KIND = {c.kind: c for c in ALL}


def call_error(result: Result) -> CallError:
    """Returns the error of a result whose status is ``error``."""
    return _BY_KIND.get(result.error_type, CallError)(result)
