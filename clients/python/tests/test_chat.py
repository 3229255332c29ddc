"""The models of four providers, on the answers that the Go client is tested with."""

from __future__ import annotations

import json
import os
import unittest
from decimal import Decimal
from pathlib import Path
from typing import Any

from helve import chat
from helve._blocking import run
from helve._json import decode, encode
from helve.chat._dialect import DIALECTS, Options
from helve.chat._provider import Provider
from helve.loop import ModelError, Turn

from .asked import LOST, SILENT, Asked, Reply
from .virtual import Network, answers

STREAMS = Path(os.environ.get("REPOSITORY", Path(__file__).parents[3]), "client/chat/testdata")
KEY = "sk-secret"
GREETING = ["Grüße", " aus Αθήνα", " 👋"]
EXACT = "12345678901234567890.10"


def ask(provider: Any, network: Network, conversation: list[Any] | None = None, tools: list[Any] | None = None, **options: Any) -> tuple[Turn, list[str]]:
    """Returns the turn of a model, and the pieces of its text."""
    pieces: list[str] = []
    settings = {"model": "m", "key": KEY, "base_url": "http://provider.test/v1", "system": "", "max_tokens": 0, "idle": 300.0} | options
    asked = Provider(network, Options(provider, **settings)).ask(conversation or [{"role": "user"}], tools or [], pieces.append)
    return run(asked), pieces


def recorded(provider: str, name: str) -> Network:
    kind = "application/json" if name.endswith(".json") else "text/event-stream; charset=utf-8"
    return answers(Reply(200, (STREAMS / provider / name).read_bytes(), {"Content-Type": kind}))


# Of each answer: the pieces of text, the number of calls, refused, cut off, tokens.
ANSWERS: dict[str, tuple[list[str], int, bool, bool, int]] = {
    "openai/text.sse": (GREETING, 0, False, False, 30),
    "openai/calls.sse": ([], 2, False, False, 351),
    "openai/refusal.sse": (["I cannot", " help with that."], 0, True, False, 18),
    "openai/filter.sse": (["First,", "\n\nThe provider's content filter stopped the answer."], 0, True, False, 10),
    "openai/length.sse": (["Once upon"], 0, False, True, 10),
    "openai/compatible.sse": ([], 3, False, False, 0),
    "openai/zero.sse": ([], 2, False, False, 0),
    "openai/whole.json": (["One moment."], 2, False, False, 12),
    "openai_responses/text.sse": (GREETING, 0, False, False, 30),
    "openai_responses/calls.sse": ([], 2, False, False, 351),
    "openai_responses/refusal.sse": (["I cannot", " help with that."], 0, True, False, 18),
    "openai_responses/length.sse": (["Once upon"], 0, False, True, 10),
    "openai_responses/filter.sse": (["First,", "\n\nThe provider's content filter stopped the answer."], 0, True, False, 10),
    "openai_responses/whole.json": (["Hello", " there"], 0, False, False, 3),
    "anthropic/text.sse": (GREETING, 0, False, False, 1140),
    "anthropic/calls.sse": (["I'll ", "look."], 2, False, False, 1661),
    "anthropic/cited.sse": (["The grass is green", "\n"], 0, False, False, 1140),
    "anthropic/refusal.sse": (["I cannot", "\n\nThe request was declined under the usage policy."], 0, True, False, 1129),
    "anthropic/length.sse": (["Once upon"], 1, False, True, 9317),
    "anthropic/whole.json": (["Hello"], 1, False, False, 7),
    "gemini/text.sse": (GREETING, 0, False, False, 30),
    "gemini/calls.sse": (["I'll ", "look."], 2, False, False, 351),
    "gemini/refusal.sse": (["I cannot", "\n\nThe answer was stopped for safety."], 0, True, False, 14),
    "gemini/blocked.sse": (["The provider declined to answer (PROHIBITED_CONTENT)."], 0, True, False, 8),
    "gemini/length.sse": (["Once upon"], 0, False, True, 10),
    "gemini/whole.json": (["Hello", " there"], 0, False, False, 12),
}


class Answers(unittest.TestCase):
    def test_recorded(self) -> None:
        for path, (pieces, calls, refused, cut_off, tokens) in ANSWERS.items():
            provider, name = path.split("/")
            with self.subTest(path):
                turn, got = ask(provider, recorded(provider, name))
                self.assertEqual(got, pieces)
                self.assertEqual((turn.text, turn.calls, turn.refused, turn.cut_off, turn.tokens), ("".join(pieces), calls, refused, cut_off, tokens))

    def test_calls_of_openai(self) -> None:
        def spelled(name: str) -> list[tuple[str, str, str]]:
            turn, _ = ask("openai", recorded("openai", name))
            self.assertEqual(turn.append, [turn.message])
            return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in turn.message["tool_calls"]]

        self.assertEqual(spelled("calls.sse"), [("call_a1Zk", "read_file", f'{{"path":"a b.txt","at":{EXACT}}}'), ("call_b2Yj", "get_current_time", "{}")])
        self.assertEqual(spelled("compatible.sse"), [("call_1_0", "read_file", '{"path":"a.txt","n":1.0}'), ("call_1_1", "read_file", '{"path":"b.txt"}'), ("call_1_2", "list_dir", "{}")])
        self.assertEqual(spelled("zero.sse"), [("x1", "read_file", '{"path":"a"}'), ("x2", "read_file", '{"path":"b"}')])
        self.assertEqual(spelled("whole.json"), [("same", "read_file", '{"path":"a"}'), ("same", "read_file", '{"path":"b"}')])
        kept = ask("openai", recorded("openai", "zero.sse"))[0].message["tool_calls"][0]
        self.assertEqual(kept["extra_content"], {"google": {"thought_signature": "c2ln"}})

    def test_parts_that_anthropic_expects_back(self) -> None:
        turn, _ = ask("anthropic", recorded("anthropic", "calls.sse"))
        blocks = [
            {"type": "thinking", "thinking": "Two files, I think.", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"},
            {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"},
            {"type": "text", "text": "I'll look."},
            {"type": "tool_use", "id": "toolu_01T1x1", "name": "read_file", "input": {"path": "a b.txt", "at": Decimal(EXACT)}},
            {"type": "tool_use", "id": "toolu_02Q7", "name": "get_current_time", "input": {}},
            {"type": "hologram", "shape": {"n": Decimal("1.50")}},
        ]
        self.assertEqual(turn.message, {"role": "assistant", "content": blocks, "stop_reason": "tool_use"})
        self.assertEqual(turn.append, [{"role": "assistant", "content": blocks}])
        self.assertIn(f'"at":{EXACT}', encode(turn.message))

    def test_a_call_that_was_cut_off(self) -> None:
        turn, _ = ask("anthropic", recorded("anthropic", "length.sse"))
        self.assertEqual(turn.message["content"][1]["input"], '{"path":"a","text":"half of')
        self.assertEqual(turn.append[0]["content"][1]["input"], {})

    def test_blank_text_is_not_sent_back(self) -> None:
        turn, _ = ask("anthropic", recorded("anthropic", "cited.sse"))
        self.assertEqual([len(turn.message["content"]), len(turn.append[0]["content"])], [2, 1])
        self.assertEqual(turn.append[0]["content"][0]["citations"][0]["document_title"], "Notes")

    def test_parts_that_gemini_expects_back(self) -> None:
        turn, _ = ask("gemini", recorded("gemini", "calls.sse"))
        self.assertEqual(turn.message["parts"], [
            {"text": "Two files, I think.", "thought": True}, {"text": "I'll look."}, {"text": "", "thoughtSignature": "AbC="},
            {"functionCall": {"name": "read_file", "args": {"path": "a b.txt", "at": Decimal(EXACT)}}, "thoughtSignature": "CpQDAdHtim9sig=="},
            {"functionCall": {"name": "get_current_time", "args": {}}},
        ])  # fmt: skip
        self.assertEqual(ask("gemini", recorded("gemini", "blocked.sse"))[0].append, [])

    def test_a_response_is_its_own_message(self) -> None:
        text = (STREAMS / "openai_responses/calls.sse").read_text("utf-8")
        want = decode(text[text.rindex("data: ") + 6 :].encode(), Decimal)["response"]
        turn, _ = ask("openai_responses", recorded("openai_responses", "calls.sse"))
        self.assertEqual((turn.message, turn.append), (want, want["output"]))

    def test_answers_of_an_sdk(self) -> None:
        for provider in DIALECTS:
            whole = json.loads((STREAMS / provider / "whole.json").read_text("utf-8"))
            turn = chat.read_answer(provider, whole, lambda piece: None)  # type: ignore[arg-type]
            self.assertEqual(turn.text, "".join(ANSWERS[f"{provider}/whole.json"][0]))


class Failures(unittest.TestCase):
    def failure(self, provider: str, network: Network, **options: Any) -> ModelError:
        with self.assertRaises(ModelError) as caught:
            ask(provider, network, **options)
        return caught.exception

    def test_recorded(self) -> None:
        for path, words in {
            "openai/error.sse": True, "openai_responses/error.sse": True, "openai_responses/failed.sse": True,
            "anthropic/error.sse": True, "gemini/error.sse": True, "gemini/badcall.sse": True,
            "openai/malformed.sse": False, "anthropic/malformed.sse": False, "gemini/malformed.sse": False,
            "openai_responses/malformed.sse": False,
        }.items():  # fmt: skip
            provider, name = path.split("/")
            self.assertEqual(self.failure(provider, recorded(provider, name)).temporary, words, path)

    def test_an_interrupted_answer_is_no_shorter_one(self) -> None:
        for provider in DIALECTS:
            whole = (STREAMS / provider / "text.sse").read_bytes()
            end = whole.rindex(b"\n", 0, whole.rindex(b"\ndata: ")) if provider != "openai" else whole.index(b"finish_reason\":\"stop")
            cut = answers(Reply(200, whole[:end], {"Content-Type": "text/event-stream", "Connection": "close"}))
            self.assertTrue(self.failure(provider, cut).temporary, provider)

    def test_unauthorized(self) -> None:
        for provider in DIALECTS:
            body = {"error": {"message": f"Incorrect API key provided: {KEY}.", "type": "invalid_request_error"}}
            failure = self.failure(provider, answers(Reply(401, [body] if provider == "gemini" else body)))
            self.assertEqual(str(failure), "model: the model's provider answered 401: check the key; it says: Incorrect API key provided: [key].")
            self.assertEqual((failure.status, failure.temporary), (401, False))

    def test_later(self) -> None:
        google = {"error": {"code": 429, "message": "Quota.", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "34s"}]}}
        for reply, wait in ((Reply(429, {"error": "Quota."}, {"Retry-After": "7"}), 7), (Reply(429, google), 34), (Reply(529, b""), 0)):
            failure = self.failure("anthropic", answers(reply))
            self.assertEqual((failure.temporary, failure.retry_after), (True, wait))

    def test_redirects_are_not_followed(self) -> None:
        network = answers(Reply(307, b"", {"Location": "http://evil.test/"}))
        self.assertIn("the key is not sent after it", str(self.failure("openai", network)))
        self.assertEqual(len(network.asked), 1)

    def test_silence(self) -> None:
        network = answers(SILENT)
        self.assertIn("sent nothing for 7 seconds", str(self.failure("openai", network, idle=7.0)))
        self.assertAlmostEqual(network.clock, 1007)

    def test_other_ends(self) -> None:
        for reply, temporary in (
            (LOST, True), (Reply(200, b"<html>", {"Content-Type": "text/html"}), False), (Reply(200, b"data: {\n\n"), False),
            (Reply(200, b"[]", {"Content-Type": "application/json"}), False), (Reply(200, b"data: null\n\n"), True),
            (Reply(200, b'data: {"choices":1,"usage":[]}\n\ndata: [DONE]\n\n'), True), (Reply(404, b"\x07" * 3000), False),
        ):  # fmt: skip
            failure = self.failure("openai", answers(reply))
            self.assertEqual(failure.temporary, temporary, reply)
            self.assertRegex(str(failure), r"^[ -~…]{1,900}$")

    def test_hostile_shapes(self) -> None:
        """No shape of JSON makes anything but a ModelError, or an answer."""
        shapes: list[Any] = [None, 1, "x", [], {}, [[]], {"error": {}}, {"error": []}]
        names = ("choices", "delta", "message", "content_block", "candidates", "content", "parts", "response", "output", "usage", "usageMetadata")
        shapes += [{name: shape} for name in names for shape in list(shapes)]
        shapes += [{"type": t, "index": i, **s} for t in ("message_start", "content_block_start", "content_block_delta", "message_delta", "response.completed", "error") for i in (0, -1, "x") for s in shapes if isinstance(s, dict)]
        for provider in DIALECTS:
            for shape in shapes:
                body = f"data: {json.dumps(shape)}\n\n".encode()
                try:
                    ask(provider, answers(Reply(200, body, {"Content-Type": "text/event-stream", "Connection": "close"})))
                except ModelError:
                    pass


class Requests(unittest.TestCase):
    def test_bodies(self) -> None:
        for provider, key, path, members in (
            ("openai", "authorization", "/v1/chat/completions", {"model", "messages", "max_tokens", "stream", "stream_options", "tools"}),
            ("openai_responses", "authorization", "/v1/responses", {"model", "instructions", "input", "max_output_tokens", "stream", "store", "tools"}),
            ("anthropic", "x-api-key", "/v1/v1/messages", {"model", "max_tokens", "system", "messages", "stream", "tools"}),
            ("gemini", "x-goog-api-key", "/v1/v1beta/models/m:streamGenerateContent", {"contents", "systemInstruction", "generationConfig", "tools"}),
        ):
            network = recorded(provider, "text.sse")
            ask(provider, network, [{"role": "user"}], [{"functionDeclarations": [{"name": "x"}]}], system="Be kind.", max_tokens=5)
            asked: Asked = network.asked[0]
            self.assertEqual((asked.path, set(asked.json)), (path, members))
            self.assertTrue(asked.headers[key].endswith(KEY))
            self.assertNotIn("helve-tenant", asked.headers)
            network = recorded(provider, "text.sse")
            ask(provider, network, [{"role": "user"}], [{"functionDeclarations": []}])
            self.assertFalse({"tools", "system", "instructions", "systemInstruction"} & set(network.asked[0].json))

    def test_options(self) -> None:
        for wrong in (
            {"provider": "mcp", "model": "m"}, {"provider": "gemini", "model": "a/../../b"}, {"provider": "openai", "model": ""},
            {"provider": "openai", "model": "m", "key": f"{KEY}\r\nX: y"}, {"provider": "openai", "model": "m", "max_tokens": -1},
            {"provider": "openai", "model": "m", "base_url": f"http://u:{KEY}@h"}, {"provider": "openai", "model": "m", "idle": 0},
        ):  # fmt: skip
            with self.assertRaises(ValueError) as caught:
                chat.Model(**wrong)  # type: ignore[arg-type]
            self.assertNotIn(KEY, str(caught.exception))
        self.assertNotIn(KEY, repr(Options("openai", "m", KEY, "http://h", "", 0, 1.0)))


if __name__ == "__main__":
    unittest.main()
