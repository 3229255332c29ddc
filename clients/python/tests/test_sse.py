"""Server-sent events: the parser, and the stream of a trace."""

from __future__ import annotations

import unittest

from helve import BadRequestError, ForeignAnswerError, NotFoundError, UnreachableError
from helve import _sse

from .asked import NOT_READY, SILENT, Asked, Reply
from .virtual import Network, answers, client

TRACE = "0af7651916cd43dd8448eb211c80319c"

STREAM = (
    "\ufeff: a comment\n\n"
    "event: queued\nid: 1\ndata: {\"a\":\ndata:  1}\n\n"
    "event: nothing\n\n"
    "id: 2\r\ndata: Αθήνα\r\ndata:👋\r\n\r\n"
    "id\rdata:x\rretry: 5\runknown: y\r\r"
    ": keep-alive\n\n"
    "data: unfinished\n"
).encode()

PARSED = [
    _sse.Message("queued", '{"a":\n 1}', "1"),
    _sse.Message("message", "Αθήνα\n👋", "2"),
    _sse.Message("message", "x", ""),
]


class Parser(unittest.TestCase):
    def test_every_split(self) -> None:
        for at in range(len(STREAM) + 1):
            parser = _sse.Parser()
            found = parser.feed(STREAM[:at]) + parser.feed(STREAM[at:])
            self.assertEqual(found, PARSED, f"split at {at}")

    def test_byte_by_byte(self) -> None:
        parser = _sse.Parser()
        found = [m for i in range(len(STREAM)) for m in parser.feed(STREAM[i : i + 1])]
        self.assertEqual(found, PARSED)

    def test_events_come_as_soon_as_they_are_complete(self) -> None:
        parser = _sse.Parser()
        self.assertEqual(parser.feed(b"data: a\r\r"), [_sse.Message("message", "a", "")])
        self.assertEqual(parser.feed(b"\ndata: b\n"), [])
        self.assertEqual(parser.feed(b"\n"), [_sse.Message("message", "b", "")])

    def test_bounds(self) -> None:
        parser = _sse.Parser()
        with self.assertRaises(_sse.TooLongError):
            for _ in range(_sse.LONGEST // (1 << 20) + 1):
                parser.feed(b"a" * (1 << 20))
        parser = _sse.Parser()
        with self.assertRaises(_sse.TooLongError):
            for _ in range(_sse.LONGEST // (1 << 20) + 1):
                parser.feed(b"data:" + b"a" * (1 << 20) + b"\n")

    def test_half_a_character(self) -> None:
        self.assertEqual(_sse.Parser().feed(b"data: \xff\n\n")[0].data, "\ufffd")


def stream(*ids: int) -> Reply:
    """Returns a stream that ends after some events."""
    text = "".join(f'event: progress\nid: {i}\ndata: {{"type":"progress","call_id":"c","data":{i},"id":""}}\n\n' for i in ids)
    return Reply(body=text.encode(), headers={"Content-Type": "text/event-stream", "Connection": "close"})


class Events(unittest.TestCase):
    def test_resumes_where_it_broke_off(self) -> None:
        silent = stream(3)
        network = answers(stream(1, 2), NOT_READY, silent, SILENT)
        got = [event for event in client(network).events(TRACE, timeout=20)]
        self.assertEqual([(event.id, event.data, event.type) for event in got], [(str(i), i, "progress") for i in (1, 2, 3)])
        self.assertEqual([asked.headers.get("last-event-id") for asked in network.asked[:4]], [None, "2", "2", "3"])
        self.assertEqual(network.asked[0].query, {"trace_id": TRACE})

    def test_starts_after_an_event(self) -> None:
        network = answers(stream(8))
        events = client(network).events(TRACE, after="7")
        self.assertEqual(next(events).id, "8")
        events.close()
        self.assertEqual(network.asked[0].headers["last-event-id"], "7")
        self.assertTrue(network.streams[0].aborted, "the connection stays open after the caller has left")

    def test_a_stream_without_a_sign_of_life_is_lost(self) -> None:
        def once(asked: Asked) -> Reply:
            reply = stream()
            reply.headers = {"Content-Type": "text/event-stream", "Content-Length": "99999"}
            reply.body = b": hello\n\n"
            return reply

        network = Network(once)
        network_silence(network)
        with self.assertRaises(UnreachableError):
            list(client(network, retry_for=0).events(TRACE))
        self.assertAlmostEqual(network.clock, 1090)

    def test_long_streams_do_not_use_up_the_time_of_an_outage(self) -> None:
        late = stream(2)
        late.delay = 25
        network = answers(stream(1), late, NOT_READY, stream(3), Reply(404, {"error_type": "not_found", "detail": "no"}))
        got = []
        with self.assertRaises(NotFoundError):
            for event in client(network, retry_for=20).events(TRACE):
                got.append(event.id)
        self.assertEqual(got, ["1", "2", "3"])

    def test_refusals(self) -> None:
        for reply, kind in (
            (Reply(404, {"error_type": "not_found", "detail": "no"}), NotFoundError),
            (Reply(200, b"<html>", {"Content-Type": "text/html"}), Exception),
            (Reply(200, b"data: {\n\n", {"Content-Type": "text/event-stream"}), ForeignAnswerError),
            (Reply(200, b"data: 1\n\n", {"Content-Type": "text/event-stream"}), ForeignAnswerError),
        ):
            network = answers(reply)
            with self.assertRaises(kind):
                list(client(network, retry_for=5).events(TRACE))
        with self.assertRaises(BadRequestError):
            list(client(network).events("0AF"))


def network_silence(network: Network) -> None:
    """Makes the server silent once its answer was read."""
    answer = network.answer

    def then_silent(asked: Asked) -> Reply:
        reply = answer(asked)
        stream = network.streams[-1]
        receive = stream.receive

        async def receive_or_wait(most: int, until: float) -> bytes:
            if not stream.incoming:
                stream.silent = True
            return await receive(most, until)

        stream.receive = receive_or_wait  # type: ignore[method-assign]
        return reply

    network.answer = then_silent


if __name__ == "__main__":
    unittest.main()
