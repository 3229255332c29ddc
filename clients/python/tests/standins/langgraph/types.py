"""The interface of ``langgraph.types.interrupt``: it raises until the graph is resumed."""

from __future__ import annotations

from typing import Any

resumed: list[Any] = []


class GraphInterrupt(Exception):
    """The graph waits."""


def interrupt(value: Any) -> Any:
    """Raises, or returns what the graph was resumed with."""
    if not resumed:
        raise GraphInterrupt(value)
    return resumed.pop()
