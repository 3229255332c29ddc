"""Consents: requests to a person to approve a call, to answer a question or to connect an account."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ._json import moment, read

Remember = Literal["once", "session", "always"]


@dataclass(frozen=True, slots=True)
class ConsentCall:
    """The call that waits for a consent, the first if several share it."""

    call_id: str = ""
    tool_call_id: str = ""
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The final decision on a consent."""

    status: str = ""
    by: str = ""
    at: datetime | None = field(default=None, metadata={"read": moment})
    remember: str = ""
    never_ask: bool = False
    comment: str = ""
    answer: Any = None


@dataclass(frozen=True, slots=True)
class Consent:
    """A request to a person. A front end that shows the preview must show the warnings too.

    ``status`` is ``pending``, ``granted``, ``denied``, ``expired``, ``cancelled`` or ``refused``.
    ``kind`` is ``question`` if an answer is asked for, ``account`` if an account is to be connected
    at ``connect_url``, and empty if an approval is asked for. The fields are those of
    docs/fields.md.
    """

    id: str = field(default="", metadata={"name": "consent_id"})
    status: str = ""
    kind: str = ""
    question: str = ""
    schema: Mapping[str, Any] | None = None
    service: str = ""
    connect_url: str = ""
    call: ConsentCall = field(default=ConsentCall(), metadata={"read": lambda v: read(ConsentCall, v)})
    tool: str = ""
    risk: str = ""
    reason: str = ""
    rule: str = ""
    permissions: Sequence[str] = ()
    for_tool: bool = False
    scopes: Mapping[str, Any] = field(default_factory=dict)
    hosts: Sequence[str] = ()
    tenant: str = ""
    user: str = ""
    agent: str = ""
    conversation: str = ""
    arguments: Any = None
    preview: str = ""
    warnings: Sequence[str] = ()
    approver_only: bool = False
    requested_at: datetime | None = field(default=None, metadata={"read": moment})
    expires_at: datetime | None = field(default=None, metadata={"read": moment})
    decision: Verdict | None = field(default=None, metadata={"read": lambda v: read(Verdict, v)})

    @property
    def pending(self) -> bool:
        """Reports whether it has no verdict yet."""
        return self.status == "pending"


@dataclass(frozen=True, slots=True)
class ConsentPage:
    """A page of the inbox; ``next`` is the cursor of the next page, empty on the last."""

    consents: list[Consent] = field(default_factory=list, metadata={"read": lambda v: [read(Consent, c) for c in v]})
    next: str = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """A remembered decision: a person allows a permission or a tool, or refuses it if ``deny`` is set."""

    id: str = field(default="", metadata={"name": "grant_id"})
    user: str = ""
    permission: str = ""
    tool: str = ""
    conversation: str = ""
    deny: bool = False
    scopes: Mapping[str, Any] | None = None
    by: str = ""
    granted_at: datetime | None = field(default=None, metadata={"read": moment})
    consent_id: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A confirm token: any holder can make the calls that it covers, with ``token`` as their
    ``confirm_token``."""

    token: str = field(default="", repr=False)
    id: str = field(default="", metadata={"name": "token_id"})
    expires_at: datetime | None = field(default=None, metadata={"read": moment})
