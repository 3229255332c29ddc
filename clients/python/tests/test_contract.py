"""Both clients against a real ``helve up``."""

from __future__ import annotations

import asyncio
import io
import json
import threading
import time
import unittest
from collections.abc import Callable
from functools import wraps
from typing import Any

from helve import AsyncClient, Call, Client, Context, callerrors, new_call_id, new_trace_id
from helve import ConflictError, ForbiddenError, NotFoundError, PendingError, UnauthenticatedError
from helve.chat import SDKModel
from helve.loop import Loop, State

from .far import CLIENTS, PATIENCE
from .system import System
from .test_loop import Scripted, completion, says

ANN = Context(user="ann")


def eventually(condition: Callable[[], Any], what: str) -> Any:
    """Returns the first true value of a condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        threading.Event().wait(0.05)
    raise AssertionError(f"it does not happen that {what}")


def both(test: Callable[[Any, Any], None]) -> Callable[[Any], None]:
    """Runs a test with each client, of a person of its own."""

    @wraps(test)
    def run(self: Any) -> None:
        for name, connect in CLIENTS.items():
            with self.subTest(name), connect(self.system.url, context=Context(user=name)) as client:
                test(self, client)

    return run


class Contract(unittest.TestCase):
    system: System

    @classmethod
    def setUpClass(cls) -> None:
        cls.system = System()
        cls.addClassCleanup(cls.system.stop)
        cls.system.start()

    @both
    def test_call(self, client: Any) -> None:
        result = client.call("calculate", {"expression": "15% of 80"}, tool_call_id="call_1")
        self.assertEqual((result.value["result"], result.tool_call_id, result.attempt), (12, "call_1", 1))
        self.assertEqual(client.call("debug.echo", '{"value":[null,"ü"]}').value, [None, "ü"])

    @both
    def test_execute_in_order(self, client: Any) -> None:
        calls = [Call("debug.echo", {"value": i}) for i in range(20)] + [Call("nope"), Call("debug.fail", {"how": "unencodable"})]
        response = client.execute(calls)
        self.assertEqual([result.value for result in response.results[:20]], list(range(20)))
        self.assertEqual([result.error_type for result in response.results[20:]], ["tool_not_found", "execution_error"])

    @both
    def test_kinds(self, client: Any) -> None:
        for kind in ("validation_error", "file_not_found", "network_error", "not_configured", "unsupported"):
            with self.assertRaises(callerrors.CallError) as caught:
                client.call("debug.fail", {"how": "error", "kind": kind, "message": "why"})
            self.assertEqual((caught.exception.kind, type(caught.exception).kind), (kind, kind))
        with self.assertRaises(callerrors.ValidationError):
            client.call("calculate", {"expression": 1, "nope": 2})
        with self.assertRaises(callerrors.CallTimeoutError):
            client.call("debug.sleep", {"ms": 60000}, tool_timeout=0.05)

    @both
    def test_same_id(self, client: Any) -> None:
        id = new_call_id()
        for _ in range(2):
            client.call("debug.effect", {"key": id}, call_id=id)
        self.assertEqual(client.get_file("ledger.txt").decode().count(id), 2)  # the key and the id, in one line
        with self.assertRaises(callerrors.ValidationError):
            client.call("debug.effect", {"key": "other"}, call_id=id)
        self.assertTrue(client.get(id).ok)

    @both
    def test_wait_and_cancel(self, client: Any) -> None:
        with self.assertRaises(PendingError) as caught:
            client.call("debug.sleep", {"ms": 600000}, wait=0)
        id = caught.exception.result.call_id
        client.cancel(id)
        self.assertEqual(eventually(lambda: client.get(id).error_type, "the call ends"), "cancelled")
        with self.assertRaises(NotFoundError):
            client.get(new_call_id())
        # A wait that is longer than one request of the client.
        self.assertEqual(client.call("debug.sleep", {"ms": 1500}).value, {"slept_ms": 1500})

    @both
    def test_large_result(self, client: Any) -> None:
        result = client.call("debug.blob", {"bytes": 17 << 20})
        self.assertEqual((len(result.value), result.ref is not None), (17 << 20, True))

    @both
    def test_events(self, client: Any) -> None:
        trace = new_trace_id()
        result = client.call("debug.echo", {"value": 1}, trace_id=trace)
        types, last = [], ""
        for event in client.events(trace, timeout=PATIENCE):
            types.append(event.type)
            last = last or event.id
            self.assertEqual(event.call_id, result.call_id)
            if event.type == "done":
                break
        self.assertEqual(types, ["queued", "started", "done"])
        for event in client.events(trace, after=last, timeout=PATIENCE):
            self.assertEqual(event.type, "started")
            break

    @both
    def test_consent(self, client: Any) -> None:
        user = client.context.user
        with self.assertRaises(PendingError) as caught:
            client.call("debug.guarded", {"key": "k"})
        result = caught.exception.result
        found = next(iter(client.watch_consents(user=user, timeout=PATIENCE)))
        self.assertEqual((found.id, found.user, found.tool, found.pending), (result.consent_id, user, "debug.guarded", True))
        self.assertIn(found.id, [consent.id for consent in client.consents(status="pending", user=user).consents])
        self.assertEqual(client.consent(found.id).call.call_id, result.call_id)
        self.assertTrue(client.wait_consent(found.id, timeout=0.01).pending)
        client.decide(found.id, grant=True, remember="always", comment="fine")
        decided = client.wait_consent(found.id, timeout=PATIENCE)
        self.assertEqual((decided.status, decided.decision.by, decided.decision.comment), ("granted", user, "fine"))
        with self.assertRaises(ConflictError):
            client.decide(found.id, grant=False)
        self.assertTrue(client.call("debug.guarded", {"key": "k"}, call_id=result.call_id).ok)
        for grant in client.grants(user=user):
            client.revoke_grant(grant.id)
        self.assertEqual(client.grants(user=user), [])

    def test_denied_while_it_waits(self) -> None:
        with Client(self.system.url, context=Context(user="bob")) as client:
            def deny() -> None:
                for consent in client.watch_consents(user="bob", timeout=PATIENCE):
                    client.decide(consent.id, grant=False)
                    return

            thread = threading.Thread(target=deny)
            thread.start()
            with self.assertRaises(callerrors.PermissionDeniedError):
                client.call("debug.guarded", {"key": "k"}, consent="wait", wait=PATIENCE)
            thread.join(PATIENCE)

    @both
    def test_token(self, client: Any) -> None:
        trace = new_trace_id()
        token = client.mint_token(["debug.guarded"], trace, ttl=60)
        self.assertTrue(client.call("debug.guarded", {"key": "k"}, trace_id=trace, confirm_token=token.token).ok)

    @both
    def test_files(self, client: Any) -> None:
        client.put_file("in/a b.txt", b"one")
        client.put_file("in/large", io.BytesIO(b"x" * 3_000_000))
        client.put_file("in/ü", iter([b"t", b"wo"]))
        self.assertEqual([(file.path, file.size) for file in client.files("in")], [("in/a b.txt", 3), ("in/large", 3_000_000), ("in/ü", 3)])
        self.assertEqual(client.get_file("in/ü"), b"two")
        self.assertEqual(sum(len(piece) for piece in client.stream_file("in/large")), 3_000_000)
        written = client.call("write_file", {"path": "out.txt", "content": "hello"})
        self.assertEqual([file.path for file in written.files], ["out.txt"])
        for file in client.files():
            client.delete_file(file.path)
        with self.assertRaises(NotFoundError):
            client.get_file("in/large")

    @both
    def test_tools(self, client: Any) -> None:
        self.assertGreater(len(client.tools()), 100)
        self.assertEqual(client.tool("calculate")["group"], "core")
        names = [tool["function"]["name"] for tool in client.tools_as("openai", group="core")]
        self.assertIn("calculate", names)
        self.assertEqual(len(client.tools(group="core")), len(names))
        self.assertIn("functionDeclarations", client.tools_as("gemini", group="core")[0])
        with self.assertRaises(NotFoundError):
            client.tool("nope")
        self.assertIn("core", [group["name"] for group in client.request("GET", "/v1/groups")["groups"]])

    def test_message_and_loop(self) -> None:
        function = {"name": "calculate", "arguments": '{"expression":"2+3"}'}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        for name, connect in CLIENTS.items():
            with self.subTest(name), connect(self.system.url, context=ANN) as client:
                response = client.execute_message("openai", message)
                self.assertEqual(json.loads(response.messages[0]["content"])["result"]["result"], 5)
        with Client(self.system.url, context=ANN) as blocking:
            state = State()
            loop = Loop(blocking, SDKModel("openai", Scripted(completion(message), says("5."))), tools={"group": "core"})
            self.assertEqual(loop.ask(state, "2+3?").text, "5.")
            self.assertEqual(json.loads(state.conversation[2]["content"])["status"], "success")

    def test_loop_of_a_program(self) -> None:
        """A model is told that its program waits for the person, and the result when it has ended."""
        function = {"name": "run_program", "arguments": json.dumps({"code": "return await program.ask('Go on?', {type: 'boolean'}) ? 'went on' : 'stopped'"})}
        message = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
        with Client(self.system.url, context=Context(user="loop", toolset="code")) as client:
            self.assertIn("run_program", [tool["name"] for tool in client.tools()])
            self.assertNotIn("calculate", [tool["name"] for tool in client.tools()])
            state = State()
            loop = Loop(client, SDKModel("openai", Scripted(completion(message), says("It waits."), says("It went on."))), consent="tell")
            answer = loop.ask(state, "Go.")
            self.assertEqual((answer.text, [result.awaits_person for result in answer.pending]), ("It waits.", [True]))
            self.assertIn("waits for the answer of a person", state.conversation[2]["content"])
            client.decide(answer.pending[0].waiting_for[0]["consent_id"], grant=True, answer={"answer": True})
            answer = eventually(lambda: (again := loop.resume(state)).text and again, "the program ends")
            self.assertEqual((answer.text, answer.pending), ("It went on.", []))
            self.assertIn('"result":"went on"', str(state.conversation))

    def test_many_concurrent_calls(self) -> None:
        async def main() -> list[Any]:
            async with AsyncClient(self.system.url) as client:
                return await asyncio.gather(*(client.call("debug.echo", {"value": i}) for i in range(200)))

        self.assertEqual([result.value for result in asyncio.run(main())], list(range(200)))


class Keys(unittest.TestCase):
    def test_who_may_do_what(self) -> None:
        system = System(keys=True)
        self.addCleanup(system.stop)
        ann, bob = system.key("--role", "user", "--user", "ann"), system.key("--role", "user", "--user", "bob")
        desk, agent = system.key("--role", "user"), system.key("--role", "agent", "--user", "ann", "--agent", "planner")
        system.start()
        for name, connect in CLIENTS.items():
            with self.subTest(name), connect(system.url) as nobody, self.assertRaises(UnauthenticatedError):
                nobody.call("debug.echo", {"value": 1})
            with self.subTest(name), connect(system.url, token=lambda: ann) as one, connect(system.url, token=bob) as two:
                with self.assertRaises(PendingError) as caught:
                    one.call("debug.guarded", {"key": name})
                result = caught.exception.result
                for forbidden in (lambda: two.get(result.call_id), lambda: two.consent(result.consent_id), lambda: two.decide(result.consent_id, grant=True)):
                    with self.assertRaises(NotFoundError):
                        forbidden()
                with connect(system.url, token=agent) as planner, self.assertRaises(ForbiddenError):
                    planner.decide(result.consent_id, grant=True)
                one.decide(result.consent_id, grant=True)
                self.assertTrue(one.call("debug.guarded", {"key": name}, call_id=result.call_id, consent="wait").ok)
            with connect(system.url, token=ann) as client, self.assertRaises(ForbiddenError):
                client.files(user="bob")
            for key in (ann, desk):  # a person's own, and that of a front end for many
                with self.subTest(name), connect(system.url, token=key, context=ANN) as client:
                    client.put_file("a", b"a")
                    self.assertEqual(client.call("read_file", {"path": "a"}).text, "a")


class Restart(unittest.TestCase):
    def test_a_call_survives_a_power_failure_and_runs_once(self) -> None:
        system = System()
        self.addCleanup(system.stop)
        system.start()
        outcomes: list[str] = []

        with Client(system.url, context=ANN, retry_for=PATIENCE) as client:
            def call(id: str, tool: str, arguments: dict[str, Any]) -> None:
                response = client.execute([Call(tool, arguments, call_id=id)], wait=PATIENCE)
                outcomes.append(response.results[0].error_type or response.results[0].status)

            threads = [
                threading.Thread(target=call, args=("effect-1", "debug.effect", {"key": "k", "after_ms": 2000})),
                threading.Thread(target=call, args=("sleep-1", "debug.sleep", {"ms": 2000})),
            ]
            for thread in threads:
                thread.start()
            eventually(lambda: any(file.path == "ledger.txt" for file in client.files()), "the call has its effect")
            eventually(lambda: client.get("sleep-1").state == "running", "the other call runs")
            system.kill()
            system.start()
            for thread in threads:
                thread.join(2 * PATIENCE)
            self.assertIn(sorted(outcomes), [["outcome_unknown", "success"], ["success", "success"]])
            self.assertEqual(client.get_file("ledger.txt").decode().count("effect-1"), 1)


if __name__ == "__main__":
    unittest.main()
