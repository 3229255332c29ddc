"""Errors: their kinds, what they say, and what they never say."""

from __future__ import annotations

import hashlib
import math
import os
import pickle
import ssl
import unittest
from decimal import Decimal
from pathlib import Path
from unittest import mock

import helve
from helve import BadRequestError, CallError, Client, ForeignAnswerError, RequestError, UnreachableError
from helve import callerrors, errors
from helve._json import decode, encode

from .asked import SUCCESS, Reply, results
from .far import CLIENTS, Far
from .virtual import Network, answers, client

SECRET = "hk_secret-value"


class Calls(unittest.TestCase):
    def test_every_kind_has_its_class(self) -> None:
        for known in callerrors.ALL:
            failed = {"status": "error", "error_type": known.kind, "message": "why"}
            with self.assertRaises(known) as caught:
                client(answers(lambda asked: results(asked, **failed)), retry_for=0).call("x")
            self.assertEqual((caught.exception.kind, caught.exception.message, caught.exception.status), (known.kind, "why", 200))
            self.assertEqual(str(caught.exception), f"{known.kind}: why")
            self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).result, caught.exception.result)
        self.assertEqual(len({known.kind for known in callerrors.ALL}), len(callerrors.ALL))

    def test_a_kind_of_a_newer_server(self) -> None:
        with self.assertRaises(CallError) as caught:
            client(answers(lambda a: results(a, status="error", error_type="new", message="m"))).call("x")
        self.assertEqual(caught.exception.kind, "new")

    def test_the_closed_set_of_the_protocol(self) -> None:
        source = Path(os.environ.get("REPOSITORY", Path(__file__).parents[3]), "protocol/kind.go").read_text("utf-8")
        kinds = {line.split('"')[1] for line in source.splitlines() if "Kind = " in line and '"' in line}
        self.assertEqual({known.kind for known in callerrors.ALL}, kinds)


class Requests(unittest.TestCase):
    def test_every_kind_has_its_class(self) -> None:
        for known in (
            helve.BadRequestError, helve.UnauthenticatedError, helve.ForbiddenError, helve.NotFoundError,
            helve.ConflictError, helve.TooLargeError, helve.RateLimitedError, helve.OverloadedError, helve.UnavailableError,
        ):  # fmt: skip
            problem = Reply(418, {"error_type": known.kind, "detail": "why", "title": "Teapot"})
            with self.assertRaises(known) as caught:
                client(answers(problem), retry_for=0).tools()
            self.assertEqual((caught.exception.kind, caught.exception.message, caught.exception.status), (known.kind, "why", 418))

    def test_answers_of_a_proxy(self) -> None:
        for status, kind in {401: "unauthenticated", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large", 429: "overloaded", 502: "unavailable", 301: "bad_request", 400: "bad_request"}.items():
            for body in (b"<html>", b'{"x":1}', b'["error_type"]', b""):
                with self.assertRaises(RequestError) as caught:
                    client(answers(Reply(status, body)), retry_for=0).tools()
                self.assertEqual((caught.exception.kind, caught.exception.status), (kind, status))
                self.assertIn("is it a Helve server?", str(caught.exception))

    def test_dates_in_retry_after(self) -> None:
        late = errors.OverloadedError("m", retry_after=2)
        self.assertEqual(late.retry_after, 2)
        for text, least, most in (("Fri, 01 Jan 2100 00:00:00 GMT", 1e9, math.inf), ("Fri, 01 Jan 2010 00:00:00 GMT", 0, 0), ("x", 0, 0), ("-1", 0, 0), ("inf", 0, 0), ("nan", 0, 0)):
            with self.assertRaises(RequestError) as caught:
                client(answers(Reply(503, b"", {"Retry-After": text})), retry_for=0).tools()
            self.assertTrue(least <= caught.exception.retry_after <= most, text)

    def test_misuse_is_not_sent(self) -> None:
        network = answers(Reply(body={}))
        one = client(network)
        for wrong in (
            lambda: one.get("a/b"), lambda: one.cancel(""), lambda: one.consent("../x"), lambda: one.revoke_grant("a?b"),
            lambda: one.tool("a b"), lambda: one.tool("../x"), lambda: one.call("x", {"a": object()}),
            lambda: one.call("x", {"a": math.nan}), lambda: one.call("x", wait=-1), lambda: one.call("x", wait=math.inf),
            lambda: one.request("GET", "/v2/x"), lambda: one.request("GET", "/v1/a b"), lambda: one.request("GET", "/v1/a\r\nX: y"),
        ):  # fmt: skip
            with self.assertRaises(BadRequestError):
                wrong()
        self.assertEqual(network.asked, [])

    def test_no_server(self) -> None:
        with Far(lambda asked: Reply()) as far:
            url = far.url
        for name, connect in CLIENTS.items():
            with self.subTest(name), connect(url, retry_for=0) as one, self.assertRaises(UnreachableError) as caught:
                one.tools()
            self.assertIn(url, str(caught.exception))
            self.assertEqual(caught.exception.status, 0)


class LargeResults(unittest.TestCase):
    def test_checked(self) -> None:
        value = b'{"a":1}'
        good = {"object": "o", "size": len(value), "sha256": hashlib.sha256(value).hexdigest()}
        for ref, ok in ((good, True), (good | {"sha256": "0" * 64}, False), (good | {"size": 6}, False), (good | {"size": 1 << 40}, False)):
            element = {"call_id": "c", "status": "success", "result_ref": ref}
            network = answers(lambda asked: Reply(body={"results": [element]}) if asked.path == "/v1/execute" else Reply(body=value))
            one = client(network)
            if ok:
                self.assertEqual(one.call("x", call_id="c").value, {"a": 1})
                self.assertEqual(network.asked[-1].path, "/v1/calls/c/result")
            else:
                with self.assertRaises(RequestError):
                    one.call("x", call_id="c")


class Secrets(unittest.TestCase):
    def test_token(self) -> None:
        network = answers(Reply(401, {"error_type": "unauthenticated", "detail": "no"}))
        one = client(network, token=SECRET)
        with self.assertRaises(helve.UnauthenticatedError) as caught:
            one.tools()
        self.assertEqual(network.asked[0].headers["authorization"], f"Bearer {SECRET}")
        self.assertNotIn("helve-tenant", network.asked[0].headers)
        self.assertNotIn(SECRET, f"{caught.exception!r} {vars(one)} {one._core!r}")

    def test_supplier_is_asked_for_each_request(self) -> None:
        supplied = iter(["one", "two"])
        network = answers(Reply(body={"tools": []}))
        one = client(network, token=lambda: next(supplied))
        one.tools()
        one.tools()
        self.assertEqual([asked.headers["authorization"] for asked in network.asked], ["Bearer one", "Bearer two"])

    def test_malformed_token(self) -> None:
        for token in (f"{SECRET}\r\nX: y", f"{SECRET} x", f"{SECRET}ü"):
            for make in (lambda t: Client(token=t), lambda t: client(answers(Reply()), token=lambda: t).tools()):
                with self.assertRaises(BadRequestError) as caught:
                    make(token)
                self.assertNotIn(SECRET, str(caught.exception))

    def test_environment(self) -> None:
        with Far(lambda asked: Reply(body={"tools": []})) as far:
            with mock.patch.dict(os.environ, {"HELVE_SERVER": far.url, "HELVE_TOKEN": SECRET}):
                for args in ((), (far.url,)):
                    with Client(*args) as one:
                        one.tools()
        self.assertEqual([asked.headers.get("authorization") for asked in far.asked], [f"Bearer {SECRET}", None])

    def test_url(self) -> None:
        for url in ("localhost:8080", "nats://h", "http://", f"http://u:{SECRET}@h", f"http://h?token={SECRET}", "http://h:x", "http://h#x", "http://h\r\nX: y", "http://a b"):
            with self.assertRaises(ValueError) as caught:
                Client(url)
            self.assertNotIn(SECRET, str(caught.exception))
        with self.assertRaises(ValueError):
            Client(tenant="a b")

    def test_certificates(self) -> None:
        pem = Path(__file__).parent / "testdata/localhost.pem"
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(pem)
        trusting = ssl.create_default_context(cafile=str(pem))
        with Far(lambda asked: results(asked, **SUCCESS), server) as far:
            for name, connect in CLIENTS.items():
                with self.subTest(name):
                    with connect(far.url) as one, self.assertRaises(ForeignAnswerError) as caught:
                        one.call("x")
                    self.assertIn("cannot trust", str(caught.exception))
                    with connect(far.url, tls=trusting) as one:
                        self.assertEqual(one.call("x").value, 1)
        self.assertEqual(len(far.asked), 2)


class Numbers(unittest.TestCase):
    def test_every_digit(self) -> None:
        big = {"a": Decimal("0.10000000000000000001"), "b": 12345678901234567890, "c": [Decimal("1E+400")]}
        self.assertEqual(encode(big), '{"a":0.10000000000000000001,"b":12345678901234567890,"c":[1E+400]}')
        self.assertEqual(decode(encode(big).encode(), Decimal), big)
        network = Network(lambda asked: Reply(body=b'{"results":[{"call_id":"c","status":"success","result":0.10000000000000000001}]}'))
        self.assertEqual(str(client(network, parse_float=Decimal).call("x", call_id="c").value), "0.10000000000000000001")

    def test_half_a_character(self) -> None:
        self.assertEqual(encode({"a": "\ud800ü"}), '{"a":"\\ud800\\u00fc"}')
        self.assertEqual(encode({"a": "ü"}), '{"a":"ü"}')


if __name__ == "__main__":
    unittest.main()
