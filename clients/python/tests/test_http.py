"""HTTP as it is framed, whatever the pieces in which it arrives."""

from __future__ import annotations

import unittest

from helve import ConflictError, ForeignAnswerError, HelveError, TooLargeError, UnreachableError
from helve._blocking import run
from helve._http import LONGEST_LINE, Connection, NotHTTPError, Request, Response

from .asked import LOST, Asked, Reply
from .virtual import Network, answers, client


class Pieces:
    """A stream whose server has sent some pieces and closes."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = list(pieces)
        self.sent = b""

    async def send(self, data: bytes, until: float) -> None:
        self.sent += data

    async def receive(self, most: int, until: float) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    def idle(self) -> bool:
        return True

    def abort(self) -> None:
        pass


def read(*pieces: bytes, method: str = "GET") -> tuple[int, bytes, bool]:
    """Returns the status and the body of an answer, and whether the connection can be used again."""

    async def ask() -> tuple[int, bytes, bool]:
        connection = Connection(Pieces(*pieces))
        response = await connection.ask(Request(method, "/", {}), 0)
        body = b""
        while piece := await connection.read(response, 0):
            body += piece
        return response.status, body, response.keep and response.done

    return run(ask())


ANSWERS: dict[bytes, tuple[int, bytes, bool]] = {
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello": (200, b"hello", True),
    b"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n": (200, b"", True),
    b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3;x=y\nhel\n2\nlo\n0\nTrailer: t\n\n": (200, b"hello", True),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n00\r\n\r\n": (200, b"", True),
    b"HTTP/1.1 200 OK\r\n\r\nto the end": (200, b"to the end", False),
    b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok": (200, b"ok", False),
    b"HTTP/1.1 503 No\r\nConnection: foo, Close\r\nContent-Length: 2\r\n\r\nno": (503, b"no", False),
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 204 No\r\n\r\n": (204, b"", True),
    b"HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx": (200, b"x", True),
}

MALFORMED = [
    b"HTTP/2 200 OK\r\n\r\n",
    b"SSH-2.0-OpenSSH\r\n\r\n",
    b"HTTP/1.1 101 Switching\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nA: " + b"a" * (LONGEST_LINE + (128 << 10)) + b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 300 + b"\r\n",
]

CUT = [
    b"", b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nA: b\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
]  # fmt: skip


class Answers(unittest.TestCase):
    def test_every_split(self) -> None:
        for text, want in ANSWERS.items():
            for at in range(1, len(text)):
                self.assertEqual(read(text[:at], text[at:]), want, f"{text!r} split at {at}")
            self.assertEqual(read(*(text[i : i + 1] for i in range(len(text)))), want, text)

    def test_malformed(self) -> None:
        for text in MALFORMED:
            with self.assertRaises(NotHTTPError, msg=text[:80]):
                read(text)

    def test_cut(self) -> None:
        for text in CUT:
            with self.assertRaises(ConnectionError, msg=text):
                read(text)

    def test_head_has_no_body(self) -> None:
        self.assertEqual(read(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", method="HEAD"), (200, b"", True))

    def test_malformed_is_told_and_not_retried(self) -> None:
        network = answers(Reply(headers={"Content-Length": "x"}))
        with self.assertRaises(ForeignAnswerError) as caught:
            client(network).tools()
        self.assertEqual(len(network.asked), 1)
        self.assertIn("http://helve.test:8080", str(caught.exception))


class Connections(unittest.TestCase):
    def test_kept_and_used_again(self) -> None:
        network = answers(Reply(body={"tools": []}))
        one = client(network)
        for _ in range(3):
            one.tools()
        self.assertEqual(len(network.streams), 1)
        one.close()
        self.assertTrue(network.streams[0].aborted)
        with self.assertRaises(HelveError):
            one.tools()

    def test_not_used_again(self) -> None:
        for reply in (Reply(body={"tools": []}, headers={"Connection": "close"}), Reply(404, b"")):
            network = answers(reply)
            one = client(network, retry_for=0)
            for _ in range(2):
                try:
                    one.tools()
                except HelveError:
                    pass
            self.assertEqual(len(network.streams), 2 if reply.status == 200 else 1)

    def test_a_server_that_stops(self) -> None:
        """It closes its idle connections, too, so none of them is used again."""
        network = answers(Reply(body={"tools": []}))
        one = client(network)
        pool = one._core.requester.transport.pool
        idle = run(pool.connect(0))
        idle.used = 1
        pool.release(idle, _kept())
        busy = run(pool.connect(0))
        pool.release(busy, _kept(keep=False))
        self.assertEqual([stream.aborted for stream in network.streams], [True, True])

    def test_idle_connections_end(self) -> None:
        network = answers(Reply(body={"tools": []}))
        one = client(network)
        one.tools()
        network.clock += 91
        one.tools()
        self.assertEqual(len(network.streams), 2)

    def test_closed_while_idle(self) -> None:
        """A read is sent again if the server closed the connection before it began to answer; a call is not."""
        ok = Reply(body={"tools": []})
        network = answers(ok, LOST, ok)
        one = client(network, retry_for=0)
        one.tools()
        self.assertEqual(one.tools(), [])
        self.assertEqual(len(network.asked), 3)

        network = answers(ok, LOST, ok)
        one = client(network, retry_for=0)
        one.tools()
        with self.assertRaises(UnreachableError):
            one.call("x")
        self.assertEqual(len(network.asked), 2)

    def test_refused_upload(self) -> None:
        """A server that answers and closes before it has read the body: its answer counts."""
        network = Network(lambda asked: Reply())
        one = client(network, retry_for=0)

        async def send(data: bytes, until: float) -> None:
            if not data.startswith(b"PUT"):
                raise BrokenPipeError

        async def connect(*args: object) -> Pieces:
            pieces = Pieces(b"HTTP/1.1 413 Large\r\nConnection: close\r\n\r\n" + b'{"error_type":"too_large","detail":"d"}')
            pieces.send = send  # type: ignore[method-assign]
            return pieces

        network.connect = connect  # type: ignore[method-assign, assignment]
        with self.assertRaises(TooLargeError):
            one.put_file("a", iter([b"x", b"y"]))


def _kept(keep: bool = True) -> Response:
    return Response(200, {}, keep, done=True)


class Files(unittest.TestCase):
    def test_chunks(self) -> None:
        network = answers(Reply(204))
        client(network).put_file("a b/ü%.txt", iter([b"hello", b"", b" you"]))
        asked = network.asked[0]
        self.assertEqual(asked.target, "/v1/files/a%20b/%C3%BC%25.txt")
        self.assertEqual(asked.body, b"5\r\nhello\r\n4\r\n you\r\n0\r\n\r\n")

    def test_bytes_are_sent_again_and_streams_are_not(self) -> None:
        network = answers(LOST, Reply(204))
        client(network).put_file("a", b"hello")
        self.assertEqual([asked.body for asked in network.asked], [b"hello", b"hello"])
        network = answers(LOST, Reply(204))
        with self.assertRaises(UnreachableError):
            client(network).put_file("a", iter([b"hello"]))

    def test_pages(self) -> None:
        first = Reply(body={"files": [{"path": "d/a", "size": 1, "modified": "2026-01-02T03:04:05.123456789Z"}], "next": "c"})
        network = answers(first, Reply(body={"files": [{"path": "d/b"}]}))
        files = client(network).files("d/", user="ann")
        self.assertEqual([file.path for file in files], ["d/a", "d/b"])
        self.assertEqual(str(files[0].modified), "2026-01-02 03:04:05.123456+00:00")
        self.assertEqual([asked.path for asked in network.asked], ["/v1/files/d/"] * 2)
        self.assertEqual(network.asked[1].query, {"user": "ann", "limit": "1000", "cursor": "c"})
        with self.assertRaises(ForeignAnswerError):
            client(answers(first)).files()

    def test_bounds(self) -> None:
        with self.assertRaises(TooLargeError):
            client(answers(Reply(body=b"hello"))).get_file("a", most=4)
        with self.assertRaises(UnreachableError):
            list(client(answers(Reply(body=b"hello", cut=2))).stream_file("a"))
        for path in ("", "a/"):
            with self.assertRaises(HelveError):
                client(answers(Reply())).get_file(path)
        with self.assertRaises(HelveError):
            client(answers(Reply())).delete_file("/")

    def test_refused(self) -> None:
        network = answers(Reply(412, {"error_type": "conflict", "detail": "changed"}))
        with self.assertRaises(ConflictError):
            client(network).delete_file("a")


class Prefix(unittest.TestCase):
    def test_path_of_the_server(self) -> None:
        from helve._core import Core, Settings

        network = Network(lambda asked: Reply(body={"tools": []}))
        run(Core(network, Settings(server="http://h/deep/")).tools("native", {}, None))
        self.assertEqual(network.asked[0].target, "/deep/v1/tools")
        self.assertEqual(network.asked[0].headers["host"], "h")


if __name__ == "__main__":
    unittest.main()
