"""The adapters for frameworks, against stand-ins with the frameworks' published interfaces."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from helve import AsyncClient, Context, UnavailableError, langchain, openai_agents
from helve._core import Core, Settings

from .asked import AWAITING, NOT_READY, SUCCESS, Asked, Reply, results
from .virtual import Network, client

STANDINS = str(Path(__file__).parent / "standins")
NATIVE = {"tools": [{"name": "files.read_text"}, {"name": "ping"}]}
OPENAI = {"tools": [
    {"type": "function", "function": {"name": "files_read_text", "description": "Read.", "parameters": {"type": "object", "properties": {"config": {}, "self": {}}}}},
    {"type": "function", "function": {"name": "ping"}},
    {"type": "function", "function": {"name": "added_since"}},
]}  # fmt: skip


class Server(Network):
    """A server with two tools."""

    def __init__(self, **outcome: Any) -> None:
        super().__init__(self._answer)
        self.outcome = outcome
        self.executed: list[dict[str, Any]] = []

    def _answer(self, asked: Asked) -> Reply:
        if asked.path == "/v1/tools":
            return Reply(body=OPENAI if asked.query.get("format") == "openai" else NATIVE)
        if asked.path == "/v1/consents/k":
            return Reply(body={"consent_id": "k", "preview": "p", "expires_at": "2026-01-01T00:00:00Z"})
        self.executed.append(asked.json)
        return results(asked, **self.outcome)


def asynchronous(network: Network) -> AsyncClient:
    far = AsyncClient("http://helve.test")
    far._core = Core(network, Settings(server="http://helve.test", context=Context(agent="a")))
    return far


def called(args: dict[str, Any], id: str = "call_1") -> dict[str, Any]:
    return {"type": "tool_call", "name": "files_read_text", "args": args, "id": id}


class WithStandins(unittest.TestCase):
    def setUp(self) -> None:
        sys.path.insert(0, STANDINS)

    def tearDown(self) -> None:
        sys.path.remove(STANDINS)
        for name in [n for n in sys.modules if n.split(".")[0] in ("langchain_core", "langgraph", "agents")]:
            del sys.modules[name]


class Lazy(unittest.TestCase):
    def test_nothing_is_imported_with_the_package(self) -> None:
        program = (
            "import sys, helve, helve.langchain, helve.openai_agents\n"
            "assert not {'langchain_core', 'langgraph', 'agents'} & set(sys.modules)\n"
            "try: helve.langchain._tool(None)\n"
            "except ModuleNotFoundError as error: print(error.name)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
        self.assertEqual(done.stdout, "langchain_core\n", done.stderr)


class LangChain(WithStandins):
    def test_tools(self) -> None:
        network = Server(status="success", result={"a": 1}, text="contents", notes=["cut"])
        tools = langchain.tools(client(network, context=Context(agent="a")), group="files")
        self.assertEqual([(t.name, t.description) for t in tools], [("files_read_text", "Read."), ("ping", "ping")])
        self.assertEqual(network.asked[0].query, {"agent": "a", "group": "files"})
        self.assertEqual(tools[1].args_schema, {"type": "object", "properties": {}})
        # Names of arguments that are names in the adapter, too.
        message = tools[0].invoke(called({"config": 1, "self": 2}))
        self.assertEqual((message.status, message.tool_call_id), ("success", "call_1"))
        self.assertEqual(json.loads(message.content), {"status": "success", "result": "contents", "notes": ["cut"]})
        self.assertEqual(message.artifact["value"], {"a": 1})
        call = network.executed[0]["calls"][0]
        self.assertEqual((call["tool"], call["arguments"], call["tool_call_id"]), ("files.read_text", {"config": 1, "self": 2}, "call_1"))
        self.assertEqual(network.executed[0]["consent"], "wait")
        self.assertEqual(json.loads(tools[0].invoke({}))["status"], "success")

    def test_failures(self) -> None:
        failed = {"status": "error", "error_type": "file_not_found", "message": "No such file."}
        tool = langchain.tools(client(Server(**failed)))[0]
        message = tool.invoke(called({}))
        self.assertEqual((message.status, json.loads(message.content)), ("error", failed))

        network = Server(**SUCCESS)
        tool = langchain.tools(client(network, retry_for=0))[0]
        network.answer = lambda asked: NOT_READY
        with self.assertRaises(UnavailableError):
            tool.invoke(called({}))

    def test_pending(self) -> None:
        tool = langchain.tools(client(Server(**AWAITING)), consent="return")[0]
        self.assertIn("a person must approve it first", tool.invoke(called({})).content)

    def test_ids(self) -> None:
        """In a thread the same call has the same id, and another call another."""
        network = Server(**SUCCESS)
        tool = langchain.tools(client(network))[0]
        thread = {"configurable": {"thread_id": "t"}}
        for args, id, config in (({"a": 1, "b": 2}, "c", thread), ({"b": 2, "a": 1}, "c", thread), ({"a": 2}, "c", thread), ({"a": 1, "b": 2}, "d", thread), ({"a": 1, "b": 2}, "c", {"configurable": {"thread_id": "u"}}), ({"a": 1, "b": 2}, "c", None)):
            tool.invoke(called(args, id), config)
        ids = [body["calls"][0]["call_id"] for body in network.executed]
        self.assertEqual(ids[0], ids[1])
        self.assertEqual(len(set(ids)), 5)

    def test_interrupt(self) -> None:
        from langgraph import types

        network = Server(**AWAITING)
        tool = langchain.tools(client(network), consent="interrupt")[0]
        thread = {"configurable": {"thread_id": "t"}}
        with self.assertRaises(types.GraphInterrupt) as caught:
            tool.invoke(called({}), thread)
        value = caught.exception.args[0]
        self.assertEqual((value["type"], value["id"], value["preview"], value["expires_at"]), ("helve_consent", "k", "p", "2026-01-01 00:00:00+00:00"))
        json.dumps(value)
        types.resumed.append("go on")
        network.outcome = AWAITING
        answer = network.answer

        def decided(asked: Asked) -> Reply:
            if asked.path == "/v1/execute" and asked.json.get("consent") == "wait":
                network.outcome = SUCCESS
            return answer(asked)

        network.answer = decided
        self.assertEqual(tool.invoke(called({}), thread).status, "success")
        self.assertEqual(len({body["calls"][0]["call_id"] for body in network.executed}), 1)
        with self.assertRaises(ValueError):
            tool.invoke(called({}))

    def test_program_that_waits(self) -> None:
        """A program interrupts the graph as often as it waits, and elsewhere the model reads that it waits."""
        from langgraph import types

        waiting = {"call_id": "c", "status": "pending", "state": "waiting", "waiting_for": [{"kind": "answer", "call_id": "c~1", "consent_id": "k"}]}
        network = Server(**waiting)
        thread = {"configurable": {"thread_id": "t"}}
        tool = langchain.tools(client(network), consent="interrupt")[0]
        types.resumed.append("look")
        with self.assertRaises(types.GraphInterrupt) as caught:
            tool.invoke(called({}), thread)
        value = caught.exception.args[0]
        self.assertEqual((value["type"], value["waiting_for"], types.resumed), ("helve_pending", waiting["waiting_for"], []))
        json.dumps(value)
        self.assertEqual(len({body["calls"][0]["call_id"] for body in network.executed}), 1)
        network.outcome = SUCCESS
        self.assertEqual(tool.invoke(called({}), thread).status, "success")
        network.outcome = waiting
        told = langchain.tools(client(network), consent="return")[0].invoke(called({}), thread)
        self.assertIn("waits for the answer of a person", told.content)

    def test_tool_set(self) -> None:
        network = Server(**SUCCESS)
        langchain.tools(client(network), context=Context(toolset="code"))[0].invoke(called({}))
        self.assertEqual({asked.query["toolset"] for asked in network.asked if asked.path == "/v1/tools"}, {"code"})
        self.assertEqual(network.executed[0]["context"]["toolset"], "code")

    def test_asynchronous(self) -> None:
        network = Server(**SUCCESS)

        async def main() -> list[Any]:
            tools = await langchain.async_tools(asynchronous(network))
            with self.assertRaises(NotImplementedError):
                tools[0].invoke(called({}))
            return [await tools[0].ainvoke(called({})), await langchain.tools(client(network))[0].ainvoke(called({}))]

        for message in asyncio.run(main()):
            self.assertEqual(json.loads(message.content), {"status": "success", "result": 1})
        self.assertEqual([body["calls"][0]["tool_call_id"] for body in network.executed], ["call_1"] * 2)


class OpenAIAgents(WithStandins):
    def test_tools(self) -> None:
        from agents import ToolContext

        network = Server(**SUCCESS)

        async def main() -> list[str]:
            tools = await openai_agents.tools(asynchronous(network), group="files")
            self.assertEqual([(t.name, t.strict_json_schema) for t in tools], [("files_read_text", False), ("ping", False)])
            answers = [await tools[0].on_invoke_tool(ToolContext("call_9"), '{"a":1.50}')]
            network.outcome = {"status": "error", "error_type": "timeout", "message": "Slow."}
            return [*answers, await tools[0].on_invoke_tool(ToolContext("call_10"), "")]

        first, second = asyncio.run(main())
        self.assertEqual(json.loads(first), {"status": "success", "result": 1})
        self.assertEqual(json.loads(second), {"status": "error", "error_type": "timeout", "message": "Slow."})
        call = network.executed[0]["calls"][0]
        self.assertEqual((call["tool"], call["arguments"], call["tool_call_id"]), ("files.read_text", '{"a":1.50}', "call_9"))
        self.assertEqual(network.asked[0].query["agent"], "a")


if __name__ == "__main__":
    unittest.main()
