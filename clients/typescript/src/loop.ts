import { Calls } from "./calls.js";
import { execute, newCallId, newTraceId } from "./execute.js";
import { within } from "./deadline.js";
import { foreign, LimitError, misused, RequestError } from "./errors.js";
import { read, type Turn, user as said } from "./formats.js";
import type { Http } from "./http.js";
import type { ToolFilter, Tools } from "./tools.js";
import { outcomeText } from "./tell.js";
import type { AwaitingConsent, Context, Format, JsonObject, Result, Telling } from "./wire.js";

/** The request of a loop to a model. */
export interface Ask<Message = JsonObject, Tool = JsonObject> {
  /** The conversation so far, in the provider's format. */
  messages: Message[];
  /** The tools, exactly as the provider's request takes them. */
  tools: Tool[];
  /** Passes a piece of the model's text to `onText`, for an answer that is streamed. */
  text: (piece: string) => void;
  signal: AbortSignal;
}

/** LoopOptions describe a model, the calls it may make and the bounds of an answer. */
export interface LoopOptions<Message = JsonObject, Tool = JsonObject> {
  format: Format;
  /**
   * Sends one request to the model and returns the whole answer of its provider: a chat
   * completion, a Response, a Message, or an answer of generateContent. Failures of the provider
   * are those of its SDK, which retries itself.
   */
  ask: (request: Ask<Message, Tool>) => Promise<object>;
  /** The person and agent of the calls; absent fields are the client's. */
  context?: Context;
  /** Selects the tools offered. */
  tools?: Omit<ToolFilter, "signal">;
  /** Bounds the requests to the model for one answer; 20 if absent. */
  rounds?: number;
  /** Bounds the tokens of an answer, if the provider reports them. */
  tokens?: number;
  /** Bounds the time of an answer, in milliseconds. */
  timeout?: number;
  /**
   * `wait` waits while a person decides or a program waits; `return`, the default, returns the
   * pending calls. With `tell` the model is told in a sentence that they have no result yet and
   * goes on, and it is told their outcomes by `resume` or the next `ask`.
   */
  consent?: Telling;
  /** Receives the model's text: piece by piece if `ask` passes it on, else as a whole. */
  onText?: (piece: string) => void;
  /** Receives the state of the calls after each answer of the server. */
  onResults?: (results: Result[]) => void;
  /** Receives each call that begins to wait for a person. */
  onConsent?: (call: AwaitingConsent) => void;
  /** Stores the state: before calls are made and after they are answered. An error ends the loop. */
  save?: (state: State) => void | Promise<void>;
}

/** The state of a conversation. It is JSON, and the Go client's loop reads the same. */
export interface State {
  /** Identifies the conversation in the ids of its calls. */
  id: string;
  trace_id: string;
  conversation: JsonObject[];
  /** The model's last message while its calls have no answer. */
  message?: JsonObject;
  /** The calls that the model was told are pending. */
  pending?: PendingCall[];
  /** The model has nothing new to answer. */
  answered?: boolean;
  /** Counts the model's answers; `rounds` and `tokens` refer to the current answer. */
  turn: number;
  rounds: number;
  tokens: number;
}

/** A call that a model was told is pending. */
export interface PendingCall {
  call_id: string;
  tool: string;
}

/** The outcome of a loop. */
export interface Reply {
  /** The model's last text. */
  text: string;
  /** The model declined to answer. */
  refused: boolean;
  /** The text is incomplete. */
  cutOff: boolean;
  /**
   * The calls of the last message if some wait for a person, or are programs that wait; with
   * `tell`, all calls that the model was told are pending, beside its text. After the decisions,
   * or when they are done, `resume` continues.
   */
  pending?: Result[];
  state: State;
}

/** The wait for the calls of a round before it is looked whether a program waits, in milliseconds. */
const roundWait = 60_000;

/** waits reports whether a call is not in progress: it awaits a person, or is a program that waits. */
function waits({ status, state }: Result): boolean {
  return status === "pending" && (state === "awaiting_consent" || state === "waiting");
}

/**
 * A Loop makes a model answer a person: it asks the model, runs the tools that the model calls,
 * sends it the results, and repeats, until the model makes no more calls. The state of a
 * conversation is its State; a Loop has none.
 */
export class Loop<Message = JsonObject, Tool = JsonObject> {
  readonly #http: Http;
  readonly #tools: Tools;
  readonly #options: LoopOptions<Message, Tool>;

  constructor(http: Http, tools: Tools, options: LoopOptions<Message, Tool>) {
    this.#http = http;
    this.#tools = tools;
    this.#options = options;
  }

  /** Adds text to a conversation, or begins one, and makes the model answer it. */
  async ask(text: string, state?: State, options: { signal?: AbortSignal } = {}): Promise<Reply> {
    if (state?.message) throw misused("the model's last message has calls that are not answered; use resume");
    const begun = state ?? { id: newCallId(), trace_id: newTraceId(), conversation: [], turn: 0, rounds: 0, tokens: 0 };
    return this.#run(begun, options, text);
  }

  /**
   * Continues from a state. Calls that were already made are not repeated: their results are
   * fetched. If the model has nothing new to answer, the calls that are pending are returned.
   */
  async resume(state: State, options: { signal?: AbortSignal } = {}): Promise<Reply> {
    return this.#run(state, options);
  }

  async #run(state: State, options: { signal?: AbortSignal }, text?: string): Promise<Reply> {
    const own = structuredClone(state);
    const timeout = this.#options.timeout ?? Infinity;
    const late = () => new LimitError(`the answer took longer than ${timeout} ms`, own);
    return within(timeout, options.signal, late, (signal) => this.#resume(own, signal, text));
  }

  async #resume(state: State, signal: AbortSignal, text?: string): Promise<Reply> {
    const { format, context } = this.#options;
    const { agent, user, toolset } = context ?? {};
    const tools = await this.#tools.listAs<Tool>(format, { ...(agent && { agent }), ...(user && { user }), ...(toolset && { toolset }), ...this.#options.tools, signal });
    const open = await this.#begin(state, signal, text);
    if (state.answered) return { text: "", refused: false, cutOff: false, pending: open, state };
    for (;;) {
      if (!state.message) {
        const turn = await this.#turn(state, tools, signal);
        if (!state.message) {
          const { pending, again } = await this.#end(state, turn, signal);
          if (again) continue;
          return { text: turn.text, refused: turn.refused, cutOff: turn.cutOff, ...(pending && { pending }), state };
        }
      }
      const pending = await this.#round(state, signal);
      if (pending) return { text: "", refused: false, cutOff: false, pending, state };
    }
  }

  /** begin tells the model what has ended since its last answer, and the person's text. It returns the calls that are pending still. */
  async #begin(state: State, signal: AbortSignal, text?: string): Promise<Result[]> {
    const answered = state.answered;
    const { open, told } = await this.#tell(state, signal);
    if (answered && told) state.rounds = state.tokens = 0;
    if (text !== undefined) {
      state.conversation.push(said(this.#options.format, text));
      state.rounds = state.tokens = 0;
      delete state.answered;
    }
    return open;
  }

  /** end returns the calls that are pending after the model's last turn, or again if one of them has ended meanwhile. */
  async #end(state: State, turn: Turn, signal: AbortSignal): Promise<{ pending?: Result[]; again?: boolean }> {
    if (turn.refused || !state.pending) return {};
    state.answered = true;
    const { open, told } = await this.#tell(state, signal);
    if (told) return { again: true };
    await this.#options.save?.(structuredClone(state));
    return { pending: open };
  }

  /** tell adds the outcomes of the pending calls that have ended to the conversation, and returns those that have not. */
  async #tell(state: State, signal: AbortSignal): Promise<{ open: Result[]; told: boolean }> {
    const open: Result[] = [], left: PendingCall[] = [], told: JsonObject[] = [];
    for (const call of state.pending ?? []) {
      const result = await new Calls(this.#http).get(call.call_id, { signal }).catch((err): Result => {
        if (!(err instanceof RequestError) || err.type !== "not_found") throw err;
        return { ...call, status: "error", error_type: "not_found", message: "the result of the call is no longer stored", duration_ms: 0 };
      });
      if (result.status === "pending") {
        open.push(result);
        left.push(call);
      } else told.push(said(this.#options.format, outcomeText(call, result)));
    }
    if (told.length > 0) {
      state.conversation.push(...told);
      delete state.answered;
      if (left.length > 0) state.pending = left;
      else delete state.pending;
      await this.#options.save?.(structuredClone(state));
    }
    return { open, told: told.length > 0 };
  }

  /** turn calls the model once. */
  async #turn(state: State, tools: Tool[], signal: AbortSignal): Promise<Turn> {
    const { rounds = 20, tokens = Infinity, format, ask, onText } = this.#options;
    if (state.conversation.length === 0) throw misused("the conversation is empty; use ask");
    if (state.rounds >= rounds) throw new LimitError(`the model was asked ${state.rounds} times and has not answered`, state);
    if (state.tokens >= tokens) throw new LimitError(`the model has used ${state.tokens} of ${tokens} tokens and has not answered`, state);
    let streamed = false;
    const text = (piece: string) => {
      streamed = true;
      onText?.(piece);
    };
    const turn = read(format, await ask({ messages: state.conversation.slice() as Message[], tools, text, signal }));
    signal.throwIfAborted();
    if (!streamed && turn.text !== "") onText?.(turn.text);
    state.turn++;
    state.rounds++;
    state.tokens += turn.tokens;
    state.conversation.push(...turn.append);
    if (turn.calls > 0 && !turn.refused) state.message = turn.message;
    await this.#options.save?.(structuredClone(state));
    return turn;
  }

  /** round runs the calls of the model's message. It returns their state if some wait for a person and the loop does not. */
  async #round(state: State, signal: AbortSignal): Promise<Result[] | undefined> {
    const { format, context, consent = "return", onResults, onConsent } = this.#options;
    const request = {
      format, consent, trace_id: state.trace_id, message: state.message as JsonObject,
      call_id_prefix: `${state.id}-${state.turn}`, wait_ms: consent === "wait" ? Infinity : roundWait, ...(context && { context }),
    };
    const { results, messages } = await execute(this.#http, request, { signal, onResults, onConsent });
    if (!messages) {
      if (consent !== "tell" && results.some(waits)) return results;
      if (results.some((result) => result.status === "pending")) return this.#round(state, signal); // a long call
      const refused = results.find((result) => result.error_type === "overloaded");
      throw refused ? new RequestError(`overloaded: ${refused.message}`, { type: "overloaded" }) : foreign("the server's answer has no messages");
    }
    state.conversation.push(...messages);
    delete state.message;
    const pending = results.filter((result) => result.status === "pending").map(({ call_id, tool }) => ({ call_id, tool }));
    if (pending.length > 0) state.pending = [...(state.pending ?? []), ...pending];
    await this.#options.save?.(structuredClone(state));
    return undefined;
  }
}
