"""When a request is sent again, and after what pause.

Only a failure that may pass is retried: an overloaded or unready server, or a lost connection. That
is safe for calls, because each has its call_id before it is first sent, and a call_id never runs
twice.
"""

from __future__ import annotations

import random
from email.utils import parsedate_to_datetime
from datetime import datetime, timezone

from .errors import ForeignAnswerError, RequestError

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
# The longest delay that a server can request.
LONGEST_HINT = 30.0

# The first request of a call waits for FIRST_SLICE, each further one twice as long, up to
# LONGEST_SLICE. A server that does not answer within FIRST_MARGIN after that has lost the request,
# or is slow: the margin doubles with each request in vain, up to ANSWER_MARGIN.
FIRST_SLICE = 1.0
LONGEST_SLICE = 5.0
FIRST_MARGIN = 2.0
ANSWER_MARGIN = 10.0

# The time for an answer that waits for no call.
ANSWER_TIMEOUT = 30.0


def wait_slice(answered: int, left: float) -> float:
    """Returns the wait of a request, after a number of others that were answered."""
    return min(left, LONGEST_SLICE, FIRST_SLICE * (1 << min(answered, 3)))


def margin_after(attempt: int) -> float:
    """Returns the time that a server may take beyond the wait, after a number of requests in vain."""
    return min(ANSWER_MARGIN, FIRST_MARGIN * (1 << min(attempt, 3)))


def retryable(error: RequestError) -> bool:
    """Reports whether the same request may succeed later."""
    return error.kind in ("overloaded", "unavailable") and not isinstance(error, ForeignAnswerError)


def backoff(attempt: int, hint: float) -> float:
    """Returns the pause after an attempt, counted from 0: half fixed and half random, so that many
    clients do not return at the same time, and never shorter than the server requests."""
    pause = min(FIRST_PAUSE * (1 << min(attempt, 6)), LONGEST_PAUSE)
    return max(pause / 2 + random.uniform(0, pause / 2), min(hint, LONGEST_HINT))


def parse_retry_after(text: str) -> float:
    """Returns the delay of a Retry-After header in seconds: seconds, or a date; 0 if there is none."""
    try:
        seconds = float(text)
        return seconds if 0 < seconds < 1e6 else 0.0
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return 0.0
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max((at - datetime.now(timezone.utc)).total_seconds(), 0.0)
