"""A client of Helve, which runs the tool calls of AI agents, with the standard library only.

    from helve import Client, Context

    with Client(context=Context(user="ann")) as helve:
        print(helve.call("calculate", {"expression": "15% of 80"}).value)

:class:`Client` blocks, :class:`AsyncClient` is for asyncio. Both have the same methods, retries and
errors: their logic is written once, as coroutines over a small interface of connections, and the
blocking client drives them over sockets that never suspend (``helve._network`` has the reasons).

It promises that a call is never run twice by a retry: each call has its ``call_id`` before it is
first sent. It does not promise that a call without an answer did not run: look it up with ``get``.
"""

from .aio import AsyncClient
from .calls import (
    Call, Context, Response, Result, ResultRef, WrittenFile, new_call_id, new_trace_id,
)  # fmt: skip
from .catalogue import Event, File, Format, Tool
from .client import Client
from .consents import Consent, ConsentCall, ConsentPage, Grant, Token, Verdict
from .errors import (
    BadRequestError, CallError, ClosedError, ConflictError, DeadlineError, ForbiddenError, ForeignAnswerError,
    HelveError, NotFoundError, OverloadedError, PendingError, RateLimitedError, RequestError, TooLargeError,
    UnauthenticatedError, UnavailableError, UnreachableError,
)  # fmt: skip

__all__ = [
    "AsyncClient", "BadRequestError", "Call", "CallError", "Client", "ClosedError", "ConflictError", "Consent",
    "ConsentCall", "ConsentPage", "Context", "DeadlineError", "Event", "File", "ForbiddenError",
    "ForeignAnswerError", "Format", "Grant", "HelveError", "NotFoundError", "OverloadedError", "PendingError",
    "RateLimitedError", "RequestError", "Response", "Result", "ResultRef", "Token", "Tool", "TooLargeError",
    "UnauthenticatedError", "UnavailableError", "UnreachableError", "Verdict", "WrittenFile", "new_call_id",
    "new_trace_id",
]  # fmt: skip
