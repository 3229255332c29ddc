"""Helve's tools as tools of the OpenAI Agents SDK (package ``openai-agents``, module ``agents``).

    from agents import Agent, Runner
    from helve import AsyncClient, Context, openai_agents

    async with AsyncClient(context=Context(user="ann")) as client:
        agent = Agent(name="assistant", tools=await openai_agents.tools(client, group="core"))
        result = await Runner.run(agent, "What is 15% of 80?")

The SDK is imported by :func:`tools`, not with this module. The model reads a failed call in
the content that Helve writes for it; an error of the whole request ends the run. While a person
decides, the tool waits up to ``wait`` seconds; then the model reads that the call is pending.
"""

from __future__ import annotations

from typing import Any

from ._offer import Offered, offered
from .aio import AsyncClient
from .calls import Call, Consenting, Context

NOBODY = Context()


async def tools(
    client: AsyncClient, *, context: Context = NOBODY, consent: Consenting = "wait", wait: float = 300.0,
    agent: str = "", user: str = "", group: str = "", category: str = "", query: str = "",
) -> list[Any]:  # fmt: skip
    """Returns a ``FunctionTool`` for each tool that matches, as :meth:`AsyncClient.tools` selects them."""
    from agents import FunctionTool

    who = context.over(client.context)
    agent, toolset = agent or who.agent, who.toolset
    native = await client.tools(agent=agent, user=user, group=group, category=category, query=query, toolset=toolset)
    openai = await client.tools_as("openai", agent=agent, user=user, group=group, category=category, query=query, toolset=toolset)
    return [
        FunctionTool(
            name=tool.name, description=tool.description, params_json_schema=tool.parameters,
            on_invoke_tool=_Invocation(client, tool, context, consent, wait), strict_json_schema=False,
        )
        for tool in offered(native, openai)
    ]  # fmt: skip


class _Invocation:
    """Runs one tool."""

    def __init__(self, client: AsyncClient, tool: Offered, context: Context, consent: Consenting, wait: float) -> None:
        self._client = client
        self._tool = tool
        self._context = context
        self._consent = consent
        self._wait = wait

    async def __call__(self, context: Any, arguments: str) -> str:
        """Returns the content for the model."""
        call = Call(self._tool.native, arguments or "{}", tool_call_id=str(getattr(context, "tool_call_id", "") or ""))
        response = await self._client.execute([call], context=self._context, consent=self._consent, wait=self._wait)
        return response.results[0].for_model()
