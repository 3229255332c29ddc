"""The loop of a model and its tools: it asks the model, runs the tools that the model calls, sends
it the results, and repeats until the model makes no more calls.

    loop = Loop(helve, chat.Model("openai", "gpt-5", key=key), context=Context(user="ann"))
    answer = loop.ask(State(), "What is in notes.txt?")

The calls of one answer run concurrently, each through the same gate as any other call. A loop holds
no state itself: that of a conversation is its :class:`State`, and with ``save`` it survives the
process. :class:`AsyncLoop` is the same for :class:`~helve.AsyncClient`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ._blocking import run
from ._loop import DEFAULT_ROUNDS, Answer, LimitError, LoopCore, LoopSettings, ModelError, State, Turn
from .aio import AsyncClient
from .calls import Context, Result, Telling
from .catalogue import Format
from .client import Client

__all__ = ["Answer", "AsyncLoop", "AsyncModel", "LimitError", "Loop", "Model", "ModelError", "State", "Turn"]

NOBODY = Context()


class Model(Protocol):
    """A model of some provider. :mod:`helve.chat` has those of four formats."""

    @property
    def format(self) -> Format:
        """The format of calls and results."""

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""

    def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn:
        """Sends a conversation and the definitions of tools, passes on the text of the answer as it
        arrives, and returns the answer. An error of the provider is a :class:`ModelError`."""


class AsyncModel(Protocol):
    """A :class:`Model` for asyncio."""

    @property
    def format(self) -> Format:
        """The format of calls and results."""

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""

    def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Awaitable[Turn]:
        """Sends a conversation and returns the answer."""


class Loop:
    """A loop over a :class:`~helve.Client`.

    ``context`` has the person and agent of the calls, ``tools`` selects the tools offered, with the
    names of :meth:`Client.tools` (``group``, ``category``, ``query`` …). ``rounds`` bounds the
    requests to the model for one answer, ``tokens`` its tokens, ``time`` its duration in seconds,
    which is checked between requests and bounds those to Helve. With ``consent="wait"`` the loop
    waits while a person decides or a program waits, else it returns the pending calls. With
    ``consent="tell"`` the model is told in a sentence that they have no result yet and goes on, and
    it is told their outcomes by ``resume`` or the next ``ask``. ``text`` receives the model's
    text piece by piece, ``results`` the state of the calls after each answer of the server, ``save``
    the state whenever it must be stored: before calls are made and after they are answered.
    """

    def __init__(
        self, client: Client, model: Model, *, context: Context = NOBODY, tools: Mapping[str, str] = {},
        rounds: int = DEFAULT_ROUNDS, tokens: int = 0, time: float | None = None, consent: Telling = "return",
        text: Callable[[str], None] | None = None, results: Callable[[list[Result]], None] | None = None,
        save: Callable[[State], None] | None = None,
    ) -> None:  # fmt: skip
        settings = LoopSettings(context, _query(tools), rounds, tokens, time, consent, text, results, save)
        self._core = LoopCore(client._core, model, settings)

    def ask(self, state: State, text: str) -> Answer:
        """Appends a person's text to the conversation and makes the model answer it."""
        return run(self._core.ask(state, text))

    def resume(self, state: State) -> Answer:
        """Continues a conversation. Calls that were made are not repeated: their results are fetched.
        If the model has nothing new to answer, the calls that are pending are returned."""
        return run(self._core.resume(state))


class AsyncLoop:
    """A :class:`Loop` over a :class:`~helve.AsyncClient`; ``results`` and ``save`` may be async."""

    def __init__(
        self, client: AsyncClient, model: AsyncModel, *, context: Context = NOBODY, tools: Mapping[str, str] = {},
        rounds: int = DEFAULT_ROUNDS, tokens: int = 0, time: float | None = None, consent: Telling = "return",
        text: Callable[[str], None] | None = None,
        results: Callable[[list[Result]], None | Awaitable[None]] | None = None,
        save: Callable[[State], None | Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        settings = LoopSettings(context, _query(tools), rounds, tokens, time, consent, text, results, save)
        self._core = LoopCore(client._core, model, settings)

    async def ask(self, state: State, text: str) -> Answer:
        """Appends a person's text to the conversation and makes the model answer it."""
        return await self._core.ask(state, text)

    async def resume(self, state: State) -> Answer:
        """Continues a conversation. Calls that were made are not repeated: their results are fetched."""
        return await self._core.resume(state)


def _query(tools: Mapping[str, str]) -> dict[str, str]:
    return {"q" if name == "query" else name: value for name, value in tools.items()}
