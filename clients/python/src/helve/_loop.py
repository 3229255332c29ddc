"""The loop of a model and its tools, written once for both clients."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from . import _retry
from ._core import Core
from ._json import decode, encode, read
from ._tell import outcome_text
from .calls import Context, Result, Telling, new_call_id, new_trace_id
from .catalogue import Format
from .errors import BadRequestError, DeadlineError, HelveError, NotFoundError

DEFAULT_ROUNDS = 20
# The wait of one request for the calls of a round, in seconds.
ROUND_WAIT = 60.0
# The most attempts to reach a model that cannot answer now.
MODEL_TRIES = 4


@dataclass
class State:
    """The state of a conversation, which another process can continue from :meth:`dumps`. A loop
    changes it in place; after any error it is where the loop was.

    ``message`` is the model's last message while its calls have no answer. ``turn`` counts the
    answers of the model; ``rounds`` and ``tokens`` are those of the current answer to the person.
    ``pending`` are the calls that the model was told are pending, each with ``call_id`` and
    ``tool``; ``answered`` is set while the model has nothing new to answer.
    """

    id: str = ""
    trace_id: str = ""
    conversation: list[Any] = field(default_factory=list)
    message: Any = None
    pending: list[Any] = field(default_factory=list)
    answered: bool = False
    turn: int = 0
    rounds: int = 0
    tokens: int = 0

    def dumps(self) -> str:
        """Returns the state as JSON, in the form of the Go client."""
        return encode({name: value for name, value in asdict(self).items() if value is not None}, "the state")

    @classmethod
    def loads(cls, text: str) -> State:
        """Returns the state that :meth:`dumps` or the Go client wrote."""
        return read(cls, decode(text.encode(), Decimal))


@dataclass(frozen=True)
class Turn:
    """An answer of a model.

    ``message`` is the answer in the form of ``execute_message``, ``append`` the answer as items of
    the conversation. ``text`` is for the person, ``calls`` the number of tool calls. ``refused`` is
    set if the model or its provider declined, ``cut_off`` if the answer reached its longest length.
    """

    message: Any
    append: list[Any] = field(default_factory=list)
    text: str = ""
    calls: int = 0
    refused: bool = False
    cut_off: bool = False
    tokens: int = 0


@dataclass(frozen=True)
class Answer:
    """The answer of a loop to the person. ``pending`` are the calls of the last message if some
    wait for a person, or are programs that wait; with ``consent="tell"``, all calls that the model
    was told are pending, beside its text. After the decisions, or when they are done, ``resume``
    continues."""

    state: State
    text: str = ""
    refused: bool = False
    cut_off: bool = False
    pending: list[Result] = field(default_factory=list)


class LimitError(HelveError):
    """The loop reached one of its bounds. ``resume`` with higher bounds continues."""

    kind = "limit"


class ModelError(HelveError):
    """The failure of a model's provider. ``temporary`` is set if a retry may help, after
    ``retry_after`` seconds if that is set."""

    kind = "model"

    def __init__(self, message: str, *, status: int = 0, temporary: bool = False, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.temporary = temporary
        self.retry_after = retry_after


class AnyModel(Protocol):
    """A model, blocking or asynchronous."""

    @property
    def format(self) -> Format:
        """The format of calls and results."""

    def user(self, text: str) -> Any:
        """Returns a person's text as an item of a conversation."""

    def ask(self, conversation: list[Any], tools: list[Any], text: Callable[[str], None]) -> Turn | Awaitable[Turn]:
        """Sends a conversation and returns the answer, whose text it passes on as it arrives."""


@dataclass(frozen=True)
class LoopSettings:
    """The options of a loop."""

    context: Context
    tools: Mapping[str, str]
    rounds: int
    tokens: int
    time: float | None
    consent: Telling
    text: Callable[[str], None] | None
    results: Callable[[list[Result]], object] | None
    save: Callable[[State], object] | None


class LoopCore:
    """Asks the model, runs the tools that it calls, and repeats until it makes no more calls."""

    def __init__(self, core: Core, model: AnyModel, settings: LoopSettings) -> None:
        self._core = core
        self._model = model
        self._set = settings
        self._network = core.requester.network

    async def ask(self, state: State, text: str) -> Answer:
        """Appends a person's text and makes the model answer it."""
        if state.message is not None:
            raise BadRequestError("the model's last message has calls that are not answered; use resume")
        if not state.id:
            state.id, state.trace_id = new_call_id(), new_trace_id()
        return await self._run(state, text)

    async def resume(self, state: State) -> Answer:
        """Continues. Calls that were already made are not repeated: their results are fetched."""
        return await self._run(state, None)

    async def _run(self, state: State, text: str | None) -> Answer:
        end = None if self._set.time is None else self._network.now() + self._set.time
        try:
            query = dict(self._set.tools)
            context = self._set.context.over(self._core.context)
            query["agent"] = query.get("agent") or context.agent
            query["toolset"] = query.get("toolset") or context.toolset
            tools = await self._core.tools(self._model.format, query, self._left(end))
            pending = await self._begin(state, text, end)
            if state.answered:
                return Answer(state, pending=pending)
            while True:
                if state.message is None:
                    turn = await self._turn(state, tools, end)
                    if not turn.calls or turn.refused:
                        pending, again = await self._end(state, turn, end)
                        if again:
                            continue
                        return Answer(state, turn.text, turn.refused, turn.cut_off, pending)
                if pending := await self._round(state, end):
                    return Answer(state, pending=pending)
        except DeadlineError as error:
            if end is None or self._network.now() < end:
                raise
            raise LimitError(f"the answer took longer than {self._set.time} seconds") from error

    async def _begin(self, state: State, text: str | None, end: float | None) -> list[Result]:
        """Tells the model what has ended since its last answer, and the person's text. It returns
        the calls that are pending still."""
        answered = state.answered
        pending, told = await self._tell(state, end)
        if answered and told:
            state.rounds = state.tokens = 0
        if text is not None:
            state.conversation.append(self._model.user(text))
            state.rounds = state.tokens = 0
            state.answered = False
        return pending

    async def _end(self, state: State, turn: Turn, end: float | None) -> tuple[list[Result], bool]:
        """Returns the calls that are pending after the model's last turn, and whether one of them
        has ended meanwhile, so that the model is asked once more."""
        if turn.refused or not state.pending:
            return [], False
        state.answered = True
        pending, told = await self._tell(state, end)
        if not told:
            await self._save(state)
        return pending, told

    async def _tell(self, state: State, end: float | None) -> tuple[list[Result], bool]:
        """Adds the outcomes of the pending calls that have ended to the conversation, and returns
        those that have not."""
        pending, left, told = [], [], []
        for call in state.pending:
            try:
                result = await self._core.get(call["call_id"], self._left(end))
            except NotFoundError:
                result = Result(status="error", error_type="not_found", message="the result of the call is no longer stored")
            if result.status == "pending":
                pending.append(result)
                left.append(call)
            else:
                told.append(self._model.user(outcome_text(call, result)))
        if told:
            state.conversation.extend(told)
            state.pending, state.answered = left, False
            await self._save(state)
        return pending, bool(told)

    def _left(self, end: float | None) -> float | None:
        if end is None:
            return None
        left = end - self._network.now()
        if left <= 0:
            raise LimitError(f"the answer took longer than {self._set.time} seconds")
        return left

    async def _turn(self, state: State, tools: list[Any], end: float | None) -> Turn:
        if not state.conversation:
            raise BadRequestError("the conversation is empty; use ask")
        if state.rounds >= self._set.rounds:
            raise LimitError(f"the model was asked {state.rounds} times and has not answered")
        if 0 < self._set.tokens <= state.tokens:
            raise LimitError(f"the model has used {state.tokens} of {self._set.tokens} tokens and has not answered")
        turn = await self._ask_model(state.conversation, tools, end)
        state.turn += 1
        state.rounds += 1
        state.tokens += turn.tokens
        state.conversation.extend(turn.append)
        if turn.calls and not turn.refused:
            state.message = turn.message
        await self._save(state)
        return turn

    async def _ask_model(self, conversation: list[Any], tools: list[Any], end: float | None) -> Turn:
        """Asks again while that may help and no text was passed on yet."""
        attempt = 0
        heard = False

        def text(piece: str) -> None:
            nonlocal heard
            heard = heard or bool(piece)
            if self._set.text is not None:
                self._set.text(piece)

        while True:
            self._left(end)
            try:
                answer = self._model.ask(list(conversation), tools, text)
                return answer if isinstance(answer, Turn) else await answer
            except ModelError as error:
                if not error.temporary or heard or attempt == MODEL_TRIES - 1:
                    raise
                await self._network.sleep(_retry.backoff(attempt, error.retry_after))
            attempt += 1

    async def _round(self, state: State, end: float | None) -> list[Result]:
        """Runs the calls of the model's message. It returns their state if some wait for a person
        and the loop does not wait."""
        # Without tell first return, to see which calls wait.
        consent: Telling = "tell" if self._set.consent == "tell" else "return"
        attempt = 0
        while True:
            response = await self._core.execute_message(
                self._model.format, state.message, self._set.context, state.trace_id, ROUND_WAIT, consent, None,
                f"{state.id}-{state.turn}", "interactive", self._left(end),
            )  # fmt: skip
            if self._set.results is not None:
                await _settled(self._set.results(response.results))
            if response.messages is not None:
                state.conversation.extend(response.messages)
                state.message = None
                state.pending += [{"call_id": r.call_id, "tool": r.tool} for r in response.results if r.status == "pending"]
                await self._save(state)
                return []
            if any(result.state in ("awaiting_consent", "waiting") for result in response.results):
                if self._set.consent == "return":
                    return response.results
                consent = self._set.consent
            self._left(end)
            await self._network.sleep(_retry.backoff(min(attempt, 3), response.retry_after))
            attempt += 1

    async def _save(self, state: State) -> None:
        if self._set.save is not None:
            await _settled(self._set.save(state))


async def _settled(value: object) -> None:
    """Awaits what a callback returned, if it is awaitable."""
    if inspect.isawaitable(value):
        await value
