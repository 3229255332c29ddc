"""What is sent again, with which ids, and after what pause."""

from __future__ import annotations

import math
import unittest

from helve import (
    CallError, Context, DeadlineError, ForeignAnswerError, OverloadedError, PendingError, UnavailableError,
    UnreachableError, Call,
)  # fmt: skip

from .asked import AWAITING, LOST, NOT_READY, REFUSED, RUNNING, SILENT, SUCCESS, Asked, Reply, results
from .virtual import Network, answers, client


def succeed(asked: Asked) -> Reply:
    return results(asked, **SUCCESS)


class Execute(unittest.TestCase):
    def test_same_call_id_in_each_attempt(self) -> None:
        """A server that is not ready, then loses the answer, then cuts it, then answers."""
        cut = Reply(body=b'{"results":[{"status":"success"', cut=10)
        network = answers(NOT_READY, LOST, cut, succeed)
        result = client(network).call("x", {"a": 1})
        self.assertEqual(result.value, 1)
        self.assertEqual(len(network.asked), 4)
        self.assertEqual({asked.call_ids[0] for asked in network.asked}, {result.call_id})
        self.assertRegex(result.call_id, r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertEqual(len({asked.json["trace_id"] for asked in network.asked}), 1)

    def test_only_open_calls_are_repeated(self) -> None:
        def first(asked: Asked) -> Reply:
            one, mine = results(asked, **RUNNING), results(asked, **REFUSED)
            return Reply(body={"trace_id": "t", "results": [one.body["results"][0], mine.body["results"][1]]})

        def second(asked: Asked) -> Reply:
            one, mine = results(asked, **SUCCESS), results(asked, **RUNNING)
            return Reply(body={"trace_id": "t", "results": [one.body["results"][0], mine.body["results"][1]]})

        network = answers(first, second, succeed)
        response = client(network).execute([Call("x"), Call("x", call_id="mine")])
        made = response.results[0].call_id
        self.assertEqual([asked.call_ids for asked in network.asked], [[made, "mine"], [made, "mine"], ["mine"]])
        self.assertEqual([result.status for result in response.results], ["success", "success"])

    def test_pause_is_what_the_server_asks_for(self) -> None:
        later = Reply(503, {"error_type": "overloaded", "detail": "full"}, {"Retry-After": "7"})
        network = answers(later, succeed)
        client(network).call("x")
        self.assertEqual(network.sleeps, [7.0])

    def test_pauses_grow_and_vary(self) -> None:
        network = answers(NOT_READY, NOT_READY, NOT_READY, NOT_READY, succeed)
        client(network).call("x")
        for pause, longest in zip(network.sleeps, [0.1, 0.2, 0.4, 0.8], strict=True):
            self.assertTrue(longest / 2 <= pause <= longest, f"{pause} is not within half of {longest}")

    def test_results_of_an_overloaded_server_count(self) -> None:
        def refuse(asked: Asked) -> Reply:
            reply = results(asked, **REFUSED)
            return Reply(503, reply.body, {"Retry-After": "2"})

        network = answers(refuse, succeed)
        self.assertTrue(client(network).call("x").ok)
        self.assertEqual(network.sleeps, [2.0])

    def test_a_server_that_stays_overloaded(self) -> None:
        network = Network(lambda asked: results(asked, **REFUSED))
        with self.assertRaises(CallError) as caught:
            client(network, retry_for=10).call("x")
        self.assertEqual(caught.exception.kind, "overloaded")
        self.assertLess(network.clock, 1020)

    def test_without_retries_nothing_is_sent_twice(self) -> None:
        for reply in (NOT_READY, LOST, SILENT):
            network = answers(reply)
            with self.assertRaises(UnavailableError):
                client(network, retry_for=0).call("x")
            self.assertEqual(len(network.asked), 1)
            self.assertEqual(network.asked[0].call_ids, [None])

    def test_waits_in_slices(self) -> None:
        """Each request waits longer than the one before, so that a lost server is noticed soon."""
        def run(asked: Asked) -> Reply:
            reply = results(asked, **RUNNING)
            reply.delay = asked.json["wait_ms"] / 1000
            return reply

        network = Network(run)
        with self.assertRaises(PendingError) as caught:
            client(network).call("x", wait=20)
        self.assertEqual([asked.json["wait_ms"] for asked in network.asked], [1000, 2000, 4000, 5000, 5000, 3000, 0])
        self.assertEqual(caught.exception.result.state, "running")
        self.assertEqual(network.sleeps, [])

    def test_a_silent_server_gets_more_time_with_each_attempt(self) -> None:
        network = answers(SILENT, SILENT, succeed)
        client(network).call("x", wait=30)
        # 1 s of wait and 2 s of margin, then 1 s and 4 s, and two pauses.
        self.assertAlmostEqual(network.clock - 1000 - sum(network.sleeps), 3 + 5)

    def test_consent(self) -> None:
        network = answers(lambda asked: results(asked, **AWAITING))
        with self.assertRaises(PendingError) as caught:
            client(network).call("x")
        self.assertEqual((caught.exception.result.consent_id, len(network.asked)), ("k", 1))
        self.assertNotIn("consent", network.asked[0].json)

        network = answers(lambda asked: results(asked, **AWAITING), succeed)
        self.assertTrue(client(network).call("x", consent="wait").ok)
        self.assertEqual([asked.json["consent"] for asked in network.asked], ["wait", "wait"])

    def test_message_is_repeated_as_a_whole(self) -> None:
        pending = Reply(body={"trace_id": "t", "results": [{"call_id": "p-0", "tool": "x", **RUNNING}, {"call_id": "p-1", "tool": "x", **SUCCESS}]})
        done = Reply(body={"trace_id": "t", "results": [{"call_id": "p-0", "tool": "x", **SUCCESS}, {"call_id": "p-1", "tool": "x", **SUCCESS}], "messages": [{"role": "tool"}]})
        network = answers(LOST, pending, done)
        response = client(network).execute_message("openai", {"role": "assistant"})
        self.assertEqual(response.messages, [{"role": "tool"}])
        self.assertEqual(len({asked.json["call_id_prefix"] for asked in network.asked}), 1)
        self.assertEqual({asked.json["message"]["role"] for asked in network.asked}, {"assistant"})

    def test_another_number_of_results(self) -> None:
        network = answers(Reply(body={"trace_id": "t", "results": []}))
        with self.assertRaises(ForeignAnswerError):
            client(network).call("x")
        self.assertEqual(len(network.asked), 1)


class Outage(unittest.TestCase):
    def test_retry_for(self) -> None:
        for reply, kind in ((NOT_READY, UnavailableError), (LOST, UnreachableError), (SILENT, UnreachableError)):
            network = answers(reply)
            with self.assertRaises(kind):
                client(network, retry_for=12).call("x")
            self.assertTrue(12 <= network.clock - 1000 < 30, network.clock)

    def test_a_long_call_does_not_use_up_the_time_of_an_outage(self) -> None:
        def run(asked: Asked) -> Reply:
            reply = results(asked, **RUNNING)
            reply.delay = asked.json["wait_ms"] / 1000
            return reply

        network = answers(run, run, run, run, NOT_READY, LOST, succeed)
        self.assertTrue(client(network, retry_for=5).call("x", wait=60).ok)
        self.assertLessEqual(network.sleeps[0], 0.1)

    def test_timeout(self) -> None:
        for reply in (NOT_READY, LOST, SILENT):
            for ask in (lambda c: c.call("x", timeout=4), lambda c: c.tools(timeout=4)):
                network = answers(reply)
                with self.assertRaises(DeadlineError):
                    ask(client(network, retry_for=math.inf))
                self.assertAlmostEqual(network.clock, 1004)

    def test_timeout_returns_the_last_answer(self) -> None:
        network = answers(lambda asked: results(asked, **RUNNING), NOT_READY)
        with self.assertRaises(PendingError):
            client(network).call("x", timeout=3)

    def test_timeout_of_the_client(self) -> None:
        with self.assertRaises(DeadlineError):
            client(answers(SILENT), timeout=2).get("c")

    def test_other_operations(self) -> None:
        network = answers(NOT_READY, LOST, Reply(body={"tools": [{"name": "x"}]}))
        self.assertEqual(client(network).tools(), [{"name": "x"}])

    def test_no_retry_of_what_does_not_pass(self) -> None:
        for reply in (
            Reply(403, {"error_type": "forbidden", "detail": "no"}), Reply(400, b"<html>"), Reply(200, b"<html>"),
            Reply(429, {"error_type": "rate_limited", "detail": "quota"}), Reply(200, b"[1]"),
        ):  # fmt: skip
            network = answers(reply)
            with self.assertRaises(Exception):
                client(network).get("c")
            self.assertEqual(len(network.asked), 1)

    def test_overloaded_without_retries(self) -> None:
        network = answers(Reply(503, {"error_type": "overloaded", "detail": "full"}, {"Retry-After": "3"}))
        with self.assertRaises(OverloadedError) as caught:
            client(network, retry_for=0).tools()
        self.assertEqual(caught.exception.retry_after, 3.0)


class Body(unittest.TestCase):
    def test_only_what_is_given(self) -> None:
        network = answers(succeed)
        client(network, context=Context(user="ann", agent="a")).call("x", context=Context(agent="b"), tool_timeout=0.0001)
        body = network.asked[0].json
        self.assertEqual(body["context"], {"user": "ann", "agent": "b"})
        self.assertEqual(set(body["calls"][0]), {"call_id", "tool", "timeout_ms"})
        self.assertEqual(body["calls"][0]["timeout_ms"], 1)
        self.assertEqual(network.asked[0].headers["helve-tenant"], "default")


if __name__ == "__main__":
    unittest.main()
