"""Tools as frameworks take them: names without dots, and parameters that every provider accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .catalogue import Tool


@dataclass(frozen=True)
class Offered:
    """A tool for a framework; ``native`` is its name in Helve."""

    name: str
    native: str
    description: str
    parameters: dict[str, Any]


def offered(native: list[Tool], openai: list[Any]) -> list[Offered]:
    """Returns the tools of a list in OpenAI's format, with the names of the native one."""
    names = {tool["name"].replace(".", "_"): tool["name"] for tool in native}
    found = []
    for tool in openai:
        function: Mapping[str, Any] = tool["function"]
        parameters = {"type": "object", "properties": {}, **(function.get("parameters") or {})}
        name = function["name"]
        if name in names:  # otherwise it was added between the two requests
            found.append(Offered(name, names[name], function.get("description") or name, parameters))
    return found
