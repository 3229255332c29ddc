"""Consents, grants and confirm tokens."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from ._json import decode_object, encode, read
from ._requester import Requester
from ._transport import Operation
from .calls import Context
from .consents import Consent, ConsentPage, Grant, Remember, Token
from .errors import BadRequestError, ForeignAnswerError

# The interval between two looks at the inbox, in seconds.
LOOK_EVERY = 1.0


async def consents(requester: Requester, query: Mapping[str, str], end: float) -> ConsentPage:
    """Returns a page of the inbox."""
    answer = await requester.ask(Operation("GET", "/v1/consents", query), end)
    return read(ConsentPage, decode_object(answer.body))


async def consent(requester: Requester, who: Context, id: str, end: float) -> Consent:
    """Returns a consent."""
    path = "/v1/consents/" + checked_id("consent_id", id)
    answer = await requester.ask(Operation("GET", path, {"user": who.user}), end)
    return read(Consent, decode_object(answer.body))


async def decide(
    requester: Requester, who: Context, id: str, end: float, *,
    grant: bool, remember: Remember, never_ask: bool, comment: str, answer: Mapping[str, Any] | None,
) -> Consent:  # fmt: skip
    """Grants or denies a consent."""
    body: dict[str, Any] = {"decision": "grant" if grant else "deny", "context": _speaker(who)}
    if grant:
        body["remember"] = remember
    body |= {k: v for k, v in {"never_ask": never_ask, "comment": comment, "answer": answer}.items() if v}
    path = f"/v1/consents/{checked_id('consent_id', id)}/decision"
    got = await requester.ask(Operation("POST", path, body=encode(body, "the decision").encode()), end)
    return read(Consent, decode_object(got.body))


async def wait_consent(requester: Requester, who: Context, id: str, end: float) -> Consent:
    """Returns a consent when it is no longer pending, or as it is at ``end``."""
    while True:
        found = await consent(requester, who, id, end)
        if not found.pending or not await requester.wait(LOOK_EVERY, end):
            return found


async def watch(requester: Requester, user: str, end: float) -> AsyncGenerator[Consent, None]:
    """Yields each consent that waits for a user: first those already waiting, then new ones."""
    known: set[str] = set()
    while True:
        waiting = await _waiting(requester, user, end)
        for found in waiting:
            if found.id not in known:
                yield found
        known = {found.id for found in waiting}
        if not await requester.wait(LOOK_EVERY, end):
            return


async def _waiting(requester: Requester, user: str, end: float) -> list[Consent]:
    found: list[Consent] = []
    cursor = ""
    while True:
        page = await consents(requester, {"status": "pending", "user": user, "cursor": cursor}, end)
        found += page.consents
        if not page.next:
            return found
        if page.next == cursor:
            raise ForeignAnswerError("the inbox has no end: its next page is the same again")
        cursor = page.next


async def grants(requester: Requester, user: str, end: float) -> list[Grant]:
    """Returns the grants of a user."""
    told = decode_object((await requester.ask(Operation("GET", "/v1/grants", {"user": user}), end)).body)
    return [read(Grant, g) for g in told.get("grants") or []]


async def revoke_grant(requester: Requester, who: Context, id: str, end: float) -> None:
    """Revokes a grant."""
    path = "/v1/grants/" + checked_id("grant_id", id)
    await requester.ask(Operation("DELETE", path, {"by": who.user}), end)


async def mint_token(
    requester: Requester, who: Context, end: float, *,
    tools: Sequence[str], trace_id: str, user: str, scopes: Mapping[str, Any] | None,
    call_id: str, args_hash: str, ttl: float | None, reusable: bool,
) -> Token:  # fmt: skip
    """Approves calls before they are made."""
    body: dict[str, Any] = {
        "context": {"agent": who.agent}, "user": user or who.user, "trace_id": trace_id, "tools": list(tools),
        "scopes": scopes, "call_id": call_id, "args_hash": args_hash, "ttl_seconds": ttl, "reusable": reusable,
    }  # fmt: skip
    given = {k: v for k, v in body.items() if v or v == 0 and k == "ttl_seconds"}
    answer = await requester.ask(Operation("POST", "/v1/tokens", body=encode(given).encode()), end)
    return read(Token, decode_object(answer.body))


def checked_id(what: str, id: str) -> str:
    """Returns an id that may be part of a path."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", id):
        raise BadRequestError(f"{what} {id[:140]!r} must have 1 to 128 letters, digits, underscores and hyphens")
    return id


def _speaker(who: Context) -> dict[str, str]:
    return {k: v for k, v in {"user": who.user, "agent": who.agent}.items() if v}
