"""Models of four providers for a :class:`helve.loop.Loop`: OpenAI's Chat Completions and compatible
servers, OpenAI's Responses, Anthropic's Messages and Gemini's generateContent.

:class:`Model` and :class:`AsyncModel` send the requests themselves and stream the answer. With a
provider's own SDK, :class:`SDKModel` and :class:`AsyncSDKModel` read the answer that a function of
yours returns.

It promises that parts which a provider expects unchanged, such as signatures of thoughts, are
returned unchanged, that an interrupted answer is an error and never a shorter answer, that the key
is sent only to the base URL and is in no error, and that a provider which sends nothing for ``idle``
seconds ends the request. It does not retry; the loop does. Numbers with a fraction are
``decimal.Decimal`` in what :class:`Model` returns, so that they keep every digit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

from .._asyncio import AsyncNetwork
from .._blocking import BlockingNetwork, run
from .._loop import Turn
from ._answer import Speech
from ._dialect import DIALECTS, Options, Provider as ProviderName
from ._provider import Provider

__all__ = ["AsyncModel", "AsyncSDKModel", "Model", "SDKModel", "read_answer"]


class Model:
    """A model, for :class:`helve.loop.Loop`. ``base_url`` of OpenAI's formats ends with its version,
    ``/v1``, as with compatible servers. ``max_tokens`` bounds an answer; 0 leaves it to the
    provider, and is 8192 for Anthropic, which requires a bound."""

    def __init__(
        self, provider: ProviderName, model: str, *, key: str = "", base_url: str = "", system: str = "",
        max_tokens: int = 0, idle: float = 300.0,
    ) -> None:  # fmt: skip
        self._provider = Provider(BlockingNetwork(), _options(provider, model, key, base_url, system, max_tokens, idle))
        self.format: ProviderName = provider

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""
        return self._provider.user(text)

    def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn:
        """Sends a conversation, passes the text of the answer on, and returns the answer."""
        return run(self._provider.ask(conversation, tools, text))

    def close(self) -> None:
        """Closes the connections."""
        self._provider.transport.pool.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncModel:
    """A :class:`Model` for :class:`helve.loop.AsyncLoop`."""

    def __init__(
        self, provider: ProviderName, model: str, *, key: str = "", base_url: str = "", system: str = "",
        max_tokens: int = 0, idle: float = 300.0,
    ) -> None:  # fmt: skip
        self._network = AsyncNetwork()
        self._provider = Provider(self._network, _options(provider, model, key, base_url, system, max_tokens, idle))
        self.format: ProviderName = provider

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""
        return self._provider.user(text)

    async def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn:
        """Sends a conversation, passes the text of the answer on, and returns the answer."""
        return await self._provider.ask(conversation, tools, text)

    async def close(self) -> None:
        """Closes the connections."""
        self._provider.transport.pool.close()
        await self._network.settle()

    async def __aenter__(self) -> AsyncModel:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


class SDKModel:
    """A model that ``ask`` reaches, a function of a conversation and tools which returns the
    provider's answer: a JSON object, or an object of an SDK that has ``model_dump``."""

    def __init__(self, provider: ProviderName, ask: Callable[[list[Any], list[Any]], Any]) -> None:
        self.format: ProviderName = provider
        self._ask = ask

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""
        return DIALECTS[self.format].user(text)

    def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn:
        """Returns the answer."""
        return read_answer(self.format, self._ask(conversation, tools), text, len(conversation))


class AsyncSDKModel:
    """An :class:`SDKModel` whose ``ask`` is async."""

    def __init__(self, provider: ProviderName, ask: Callable[[list[Any], list[Any]], Awaitable[Any]]) -> None:
        self.format: ProviderName = provider
        self._ask = ask

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""
        return DIALECTS[self.format].user(text)

    async def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn:
        """Returns the answer."""
        return read_answer(self.format, await self._ask(conversation, tools), text, len(conversation))


def read_answer(provider: ProviderName, answer: Any, text: Callable[[str], None], position: int = 0) -> Turn:
    """Returns the turn of a provider's complete answer. ``position`` is the number of items before
    it, which keeps the ids unique that calls without one get."""
    if hasattr(answer, "model_dump"):
        answer = answer.model_dump(mode="json", by_alias=True, exclude_none=True)
    assembler = DIALECTS[provider].assembler(Speech(text), position)
    assembler.whole(answer)
    return assembler.turn()


def _options(
    provider: ProviderName, model: str, key: str, base_url: str, system: str, max_tokens: int, idle: float
) -> Options:
    dialect = DIALECTS.get(provider)
    if dialect is None:
        raise ValueError(f"there is no provider {provider!r}; use {', '.join(DIALECTS)}")
    if not model or provider == "gemini" and any(part in ("", ".", "..") for part in model.split("/")):
        raise ValueError("the model is missing; give its name as the provider has it")
    if not all("!" <= c <= "~" for c in key):
        raise ValueError("the key must be one word of visible ASCII characters")
    if max_tokens < 0 or not idle > 0:
        raise ValueError("max_tokens must not be negative, and idle must be positive")
    return Options(provider, model, key, (base_url or dialect.base_url).rstrip("/"), system, max_tokens, idle)
