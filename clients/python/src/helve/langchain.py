"""Helve's tools as tools of LangChain and LangGraph (package ``langchain-core``).

    from langchain.agents import create_agent
    from helve import Client, Context, langchain

    with Client(context=Context(user="ann")) as client:
        agent = create_agent(model, tools=langchain.tools(client, group="core"))

:func:`tools` makes blocking tools, :func:`async_tools` those of an :class:`AsyncClient`. The
framework is imported by them, not with this module. A failed call is a message with the status
``error``; an error of the whole request is raised. The artifact of a message has the whole result.

In a LangGraph thread (``configurable.thread_id``) a call has an id made of the thread, the model's
id of the call and the arguments: a node that LangGraph runs again does not run its calls again.

``consent`` selects how a call is handled that a person must approve: ``wait`` waits up to ``wait``
seconds, ``return`` tells the model that the call is pending, and ``interrupt`` interrupts the graph
with the consent. Resume the graph, with any value, after the person has decided in Helve's inbox. A
program that waits interrupts the graph with ``helve_pending``, as often as it waits; resume the
graph when the call is done, or at any time to look.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ._json import encode
from ._offer import Offered, offered
from .aio import AsyncClient
from .calls import Call, Consenting, Context, Result
from .client import Client

NOBODY = Context()

Approval = Literal["wait", "return", "interrupt"]

# The model's id of the call in progress, and the thread of the graph.
_caller: ContextVar[tuple[str, str]] = ContextVar("helve_caller", default=("", ""))


def tools(
    client: Client, *, context: Context = NOBODY, consent: Approval = "wait", wait: float = 300.0,
    agent: str = "", user: str = "", group: str = "", category: str = "", query: str = "",
) -> list[Any]:  # fmt: skip
    """Returns a ``BaseTool`` for each tool that matches, as :meth:`Client.tools` selects them."""
    who = context.over(client.context)
    agent, toolset = agent or who.agent, who.toolset
    native = client.tools(agent=agent, user=user, group=group, category=category, query=query, toolset=toolset)
    openai = client.tools_as("openai", agent=agent, user=user, group=group, category=category, query=query, toolset=toolset)
    return [_tool(_Binding(client, None, t, context, consent, wait)) for t in offered(native, openai)]


async def async_tools(
    client: AsyncClient, *, context: Context = NOBODY, consent: Approval = "wait", wait: float = 300.0,
    agent: str = "", user: str = "", group: str = "", category: str = "", query: str = "",
) -> list[Any]:  # fmt: skip
    """Returns the same tools for asynchronous agents."""
    who = context.over(client.context)
    agent, toolset = agent or who.agent, who.toolset
    native = await client.tools(agent=agent, user=user, group=group, category=category, query=query, toolset=toolset)
    openai = await client.tools_as("openai", agent=agent, user=user, group=group, category=category, query=query, toolset=toolset)
    return [_tool(_Binding(None, client, t, context, consent, wait)) for t in offered(native, openai)]


@dataclass(frozen=True)
class _Binding:
    """One tool, and how it is called."""

    client: Client | None
    async_client: AsyncClient | None
    tool: Offered
    context: Context
    consent: Approval
    wait: float

    def run(self, arguments: dict[str, Any]) -> Result:
        if self.client is None:
            raise NotImplementedError("this tool is asynchronous: use ainvoke, or tools with a Client")
        call = self._call(arguments)
        consent: Consenting = "wait" if self.consent == "wait" else "return"
        result = self.client.execute([call], context=self.context, wait=self.wait, consent=consent).results[0]
        if self.consent == "interrupt" and result.state == "awaiting_consent":
            _interrupt(asdict(self.client.consent(result.consent_id)))
            result = self.client.execute([call], context=self.context, wait=self.wait, consent="wait").results[0]
        while self.consent == "interrupt" and result.state == "waiting":
            _interrupt_pending(result)
            result = self.client.execute([call], context=self.context, wait=self.wait, consent="return").results[0]
        return result

    async def arun(self, arguments: dict[str, Any]) -> Result:
        assert self.async_client is not None
        call = self._call(arguments)
        consent: Consenting = "wait" if self.consent == "wait" else "return"
        response = await self.async_client.execute([call], context=self.context, wait=self.wait, consent=consent)
        result = response.results[0]
        if self.consent == "interrupt" and result.state == "awaiting_consent":
            _interrupt(asdict(await self.async_client.consent(result.consent_id)))
            response = await self.async_client.execute([call], context=self.context, wait=self.wait, consent="wait")
            result = response.results[0]
        while self.consent == "interrupt" and result.state == "waiting":
            _interrupt_pending(result)
            response = await self.async_client.execute([call], context=self.context, wait=self.wait, consent="return")
            result = response.results[0]
        return result

    def _call(self, arguments: dict[str, Any]) -> Call:
        tool_call_id, thread = _caller.get()
        call_id = ""
        if tool_call_id and thread:
            same = encode([thread, tool_call_id, self.tool.native, encode(dict(sorted(arguments.items())))])
            call_id = "lc-" + hashlib.sha256(same.encode()).hexdigest()[:40]
        elif self.consent == "interrupt":
            raise ValueError("consent='interrupt' needs a graph with a checkpointer, so that its config has a thread_id")
        return Call(self.tool.native, arguments, call_id, tool_call_id)


def _interrupt(consent: dict[str, Any]) -> None:
    from langgraph.types import interrupt

    interrupt({"type": "helve_consent", **{k: str(v) if k.endswith("_at") else v for k, v in consent.items()}})


def _interrupt_pending(result: Result) -> None:
    from langgraph.types import interrupt

    waiting_for = [dict(wait) for wait in result.waiting_for]
    interrupt({"type": "helve_pending", "call_id": result.call_id, "tool": result.tool, "waiting_for": waiting_for})


def _tool(binding: _Binding) -> Any:
    """Returns a tool of the framework. Its class is made here, because its base is."""
    from langchain_core.tools import BaseTool, ToolException

    def content(result: Result) -> tuple[str, dict[str, Any]]:
        if result.status == "error":
            raise ToolException(result.for_model())
        return result.for_model(), asdict(result)

    class HelveTool(BaseTool):  # type: ignore[misc]
        """A tool of Helve."""

        def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
            with _called(input, config):
                return super().invoke(input, config, **kwargs)

        async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
            with _called(input, config):
                return await super().ainvoke(input, config, **kwargs)

        def _run(self, /, **arguments: Any) -> Any:
            return content(binding.run(arguments))

        async def _arun(self, /, **arguments: Any) -> Any:
            if binding.async_client is None:
                return content(await asyncio.to_thread(binding.run, arguments))
            return content(await binding.arun(arguments))

    return HelveTool(
        name=binding.tool.name, description=binding.tool.description, args_schema=binding.tool.parameters,
        handle_tool_error=True, response_format="content_and_artifact",
    )  # fmt: skip


@contextmanager
def _called(input: Any, config: Any) -> Iterator[None]:
    """Notes the model's id of a call and its thread while the call runs."""
    id = input.get("id") if isinstance(input, dict) and input.get("type") == "tool_call" else ""
    configurable = (config or {}).get("configurable") or {}
    token = _caller.set((str(id or ""), str(configurable.get("thread_id") or "")))
    try:
        yield
    finally:
        _caller.reset(token)
