import { execute, newCallId, newTraceId } from "./execute.js";
import { within } from "./deadline.js";
import { foreign, LimitError, misused, RequestError } from "./errors.js";
import { read, type Turn, user as said } from "./formats.js";
import type { Http } from "./http.js";
import type { ToolFilter, Tools } from "./tools.js";
import { awaitsConsent } from "./wire.js";
import type { AwaitingConsent, Context, Format, JsonObject, Result } from "./wire.js";

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
  /** `wait` waits while a person decides; `return`, the default, returns the pending calls. */
  consent?: "return" | "wait";
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
  /** Counts the model's answers; `rounds` and `tokens` refer to the current answer. */
  turn: number;
  rounds: number;
  tokens: number;
}

/** The outcome of a loop. */
export interface Reply {
  /** The model's last text. */
  text: string;
  /** The model declined to answer. */
  refused: boolean;
  /** The text is incomplete. */
  cutOff: boolean;
  /** The calls of the last message if some wait for a person. After the decisions, `resume` continues. */
  pending?: Result[];
  state: State;
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
    const { id, trace_id, conversation, turn } = state ?? { id: newCallId(), trace_id: newTraceId(), conversation: [], turn: 0 };
    return this.resume({ id, trace_id, conversation: [...conversation, said(this.#options.format, text)], turn, rounds: 0, tokens: 0 }, options);
  }

  /** Continues from a state. Calls that were already made are not repeated: their results are fetched. */
  async resume(state: State, options: { signal?: AbortSignal } = {}): Promise<Reply> {
    const own = structuredClone(state);
    const timeout = this.#options.timeout ?? Infinity;
    const late = () => new LimitError(`the answer took longer than ${timeout} ms`, own);
    return within(timeout, options.signal, late, (signal) => this.#resume(own, signal));
  }

  async #resume(state: State, signal: AbortSignal): Promise<Reply> {
    const { format, context } = this.#options;
    const { agent, user } = context ?? {};
    const tools = await this.#tools.listAs<Tool>(format, { ...(agent && { agent }), ...(user && { user }), ...this.#options.tools, signal });
    for (;;) {
      if (!state.message) {
        const turn = await this.#turn(state, tools, signal);
        if (!state.message) return { text: turn.text, refused: turn.refused, cutOff: turn.cutOff, state };
      }
      const pending = await this.#round(state, signal);
      if (pending) return { text: "", refused: false, cutOff: false, pending, state };
    }
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
      call_id_prefix: `${state.id}-${state.turn}`, wait_ms: Infinity, ...(context && { context }),
    };
    const { results, messages } = await execute(this.#http, request, { signal, onResults, onConsent });
    if (!messages) {
      if (results.some(awaitsConsent)) return results;
      const refused = results.find((result) => result.error_type === "overloaded");
      throw refused ? new RequestError(`overloaded: ${refused.message}`, { type: "overloaded" }) : foreign("the server's answer has no messages");
    }
    state.conversation.push(...messages);
    delete state.message;
    await this.#options.save?.(structuredClone(state));
    return undefined;
  }
}
