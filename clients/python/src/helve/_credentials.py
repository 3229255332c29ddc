"""What identifies the caller: headers of each request."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Protocol

from .errors import BadRequestError

TokenSource = str | Callable[[], str | Awaitable[str]] | None

_TOKEN = re.compile(r"[!-~]*")
_TENANT = re.compile(r"[A-Za-z0-9_-]{0,64}")


class Identity(Protocol):
    """The headers that identify the caller to a server."""

    async def headers(self) -> dict[str, str]:
        """Returns the headers of the next request."""


class HelveIdentity:
    """A token, or the tenant of callers without one."""

    def __init__(self, token: TokenSource, tenant: str) -> None:
        if not _TENANT.fullmatch(tenant):
            raise ValueError("the tenant must have 1 to 64 letters, digits, underscores and hyphens")
        if isinstance(token, str):
            check_token(token)
        self._token = token
        self._tenant = tenant or ("" if token else "default")

    async def headers(self) -> dict[str, str]:
        """Returns the tenant and the token."""
        headers = {"Helve-Tenant": self._tenant} if self._tenant else {}
        if token := await self._credential():
            headers["Authorization"] = f"Bearer {token}"
        return headers

    async def _credential(self) -> str:
        if not callable(self._token):
            return self._token or ""
        value = self._token()
        token = value if isinstance(value, str) else await value
        check_token(token)
        return token


def check_token(token: object) -> None:
    """Refuses what is not one word of a header; the error does not contain it."""
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise BadRequestError('the token must be one word of visible ASCII characters, without "Bearer"')
