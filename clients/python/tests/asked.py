"""A request as the scripted servers see it, and their answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Asked:
    """A request."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes = b""

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query))

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def call_ids(self) -> list[str]:
        return [call.get("call_id") for call in self.json["calls"]]


@dataclass
class Reply:
    """An answer. ``delay`` passes before it; ``cut`` ends the connection after that many bytes of
    the body; ``silent`` never answers."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    silent: bool = False

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


LOST = Reply(cut=-1)
SILENT = Reply(silent=True)


def results(asked: Asked, **members: Any) -> Reply:
    """Answers each call of an execute with the same members."""
    return Reply(body={"trace_id": asked.json.get("trace_id", "t"), "results": [
        {"call_id": id, "tool": "x", **members} for id in asked.call_ids
    ]})  # fmt: skip


SUCCESS: dict[str, Any] = {"status": "success", "result": 1}
RUNNING: dict[str, Any] = {"status": "pending", "state": "running"}
AWAITING: dict[str, Any] = {"status": "pending", "state": "awaiting_consent", "consent_id": "k"}
REFUSED: dict[str, Any] = {"status": "error", "error_type": "overloaded", "message": "full"}
NOT_READY = Reply(503, {"error_type": "unavailable", "detail": "not ready"})
