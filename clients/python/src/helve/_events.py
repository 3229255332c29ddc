"""The stream of a trace's events, which is resumed where it broke off."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from . import _sse
from ._json import decode_object, read
from ._requester import Requester
from ._transport import LARGEST_ANSWER, Operation
from .catalogue import Event
from .errors import BadRequestError, DeadlineError, ForeignAnswerError, RequestError, UnreachableError

# The server sends a comment at least this often; a stream that is silent for longer is lost.
SILENCE = 90.0


async def events(requester: Requester, trace_id: str, after: str, end: float) -> AsyncGenerator[Event, None]:
    """Yields the events of a trace after the event ``after``. It ends at ``end``, and otherwise with
    the first error that a repetition does not mend."""
    if not re.fullmatch(r"[0-9a-f]{32}", trace_id):
        raise BadRequestError("trace_id must be 32 lower-case hex digits")
    heard, attempt = requester.network.now(), 0
    while True:
        try:
            async with aclosing(_stream(requester, trace_id, after, end)) as stream:
                async for event in stream:
                    attempt = 0
                    if event is not None:
                        after = event.id or after
                        yield event
                    heard = requester.network.now()
        except DeadlineError:
            return
        except RequestError as error:
            if not requester.again(error, heard):
                raise
            try:
                await requester.pause(attempt, error, end)
            except DeadlineError:
                return
            attempt += 1


async def _stream(requester: Requester, trace_id: str, after: str, end: float) -> AsyncGenerator[Event | None, None]:
    """Yields the events of one connection, and None whenever the server has sent anything."""
    headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": after} if after else {})
    op = Operation("GET", "/v1/events", {"trace_id": trace_id}, headers=headers)
    now, transport = requester.network.now, requester.transport
    try:
        async with transport.exchange(op, min(end, now() + op.patience)) as got:
            if got.status != 200 or not got.headers.get("content-type", "").startswith("text/event-stream"):
                body = await got.read_all(LARGEST_ANSWER, min(end, now() + op.patience))
                raise transport.refused(got, body)
            parser = _sse.Parser()
            while piece := await got.read(min(end, now() + SILENCE)):
                yield None
                for message in parser.feed(piece):
                    event = read(Event, decode_object(message.data.encode("utf-8", "replace")))
                    yield replace(event, id=message.id or event.id)
    except TimeoutError as error:
        requester.late(error, end)
    except _sse.TooLongError as error:
        raise ForeignAnswerError(f"the event stream of {transport.shown} is not Helve's: {error}") from error
    raise UnreachableError(f"cannot reach {transport.shown}: the event stream ended")
