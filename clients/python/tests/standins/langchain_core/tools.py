"""The interface of ``langchain_core.tools`` for tools whose parameters are a JSON schema."""

from __future__ import annotations

import asyncio
import contextvars
import json
from typing import Any


class ToolException(Exception):
    """The failure of a tool that the model is told of."""


class ToolMessage:
    """The message with the result of a tool."""

    def __init__(self, content: str, artifact: Any, tool_call_id: str, name: str, status: str) -> None:
        self.content, self.artifact, self.tool_call_id, self.name, self.status = content, artifact, tool_call_id, name, status


class BaseTool:
    """A tool: ``invoke`` takes arguments or a whole tool call, and calls ``_run``."""

    def __init__(self, *, name: str, description: str, args_schema: dict[str, Any], handle_tool_error: bool = False, response_format: str = "content") -> None:
        assert isinstance(args_schema["properties"], dict) and name and description
        self.name, self.description, self.args_schema = name, description, args_schema
        self.handle_tool_error, self.response_format = handle_tool_error, response_format

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        arguments, id = self._split(input)
        try:
            # As the framework does it: in a copy of the context.
            response = contextvars.copy_context().run(self._run, **arguments)
        except ToolException as error:
            return self._failed(error, id)
        return self._output(response, id)

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        arguments, id = self._split(input)
        try:
            response = await asyncio.create_task(self._arun(**arguments), context=contextvars.copy_context())
        except ToolException as error:
            return self._failed(error, id)
        return self._output(response, id)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _arun(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _split(self, input: Any) -> tuple[dict[str, Any], str | None]:
        if input.get("type") == "tool_call":
            return dict(input["args"]), input["id"]
        return dict(input), None

    def _output(self, response: Any, id: str | None) -> Any:
        content, artifact = response if self.response_format == "content_and_artifact" else (response, None)
        json.dumps(artifact)  # a checkpoint stores it
        return ToolMessage(content, artifact, id, self.name, "success") if id else content

    def _failed(self, error: ToolException, id: str | None) -> Any:
        if not self.handle_tool_error:
            raise error
        return ToolMessage(error.args[0], None, id, self.name, "error") if id else error.args[0]
