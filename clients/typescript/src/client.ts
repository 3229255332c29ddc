import { Calls } from "./calls.js";
import { Consents } from "./consents.js";
import { settled } from "./errors.js";
import { events, type EventsOptions } from "./events.js";
import { execute, type ExecuteOptions, orContext } from "./execute.js";
import { Files } from "./files.js";
import { Http, type HttpOptions } from "./http.js";
import { Loop, type LoopOptions } from "./loop.js";
import { type Body, type Given, type Method, type Outcome, request, type Route } from "./request.js";
import { Tools } from "./tools.js";
import type { Answer, Call, Context, Event, ExecuteCalls, ExecuteMessage, JsonObject, Result } from "./wire.js";

/** Options of a client. */
export interface HelveOptions extends HttpOptions {
  /** The defaults of the context of requests. */
  context?: Context;
}

/** Options of one call. Names in snake_case are sent to the server as they are. */
export interface OneCall extends Omit<Call, "tool" | "arguments">, Omit<ExecuteCalls, "calls">, ExecuteOptions {}

/**
 * A client of one Helve server. It sends requests that failed again, with the same call_id, which
 * never runs twice. Every method takes a signal, and rejects with its reason when it aborts; a
 * call that was sent then continues.
 */
export class Helve {
  readonly calls: Calls;
  readonly consents: Consents;
  readonly files: Files;
  readonly tools: Tools;
  readonly context: Readonly<Context>;
  readonly #http: Http;

  constructor(options: HelveOptions) {
    this.#http = new Http(options);
    this.context = { ...options.context };
    this.calls = new Calls(this.#http);
    this.consents = new Consents(this.#http, this.context);
    this.files = new Files(this.#http, this.context);
    this.tools = new Tools(this.#http, this.context);
  }

  /**
   * Runs one call and returns its result. A failed call is a ToolError, one that is not done in
   * time a PendingError, both with the result.
   */
  async call<T = unknown>(tool: string, args: object | string = {}, options: OneCall = {}): Promise<Result<T> & { result: T }> {
    const { signal, onResults, onConsent, context, trace_id, wait_ms, consent, callback, ...call } = options;
    const about = { context, trace_id, wait_ms, consent, callback } as Omit<ExecuteCalls, "calls">;
    const { results } = await this.execute({ ...about, calls: [{ ...call, tool, arguments: args }] }, { signal, onResults, onConsent });
    return settled<T>(results[0] as Result);
  }

  /**
   * Runs calls, or the calls of a model's message, and returns when all are done or wait for a
   * person, or when the wait is over. Each call has its own outcome. Large results are fetched,
   * but not those of a message, whose answer has the messages to append.
   */
  async execute<Message = JsonObject>(request: ExecuteCalls | ExecuteMessage, options: ExecuteOptions = {}): Promise<Answer<Message>> {
    const context = orContext(request.context, this.context);
    return (await execute(this.#http, { ...request, context }, options)) as Answer<Message>;
  }

  /**
   * Yields the events of a trace: first those that the server still holds, then new ones, until
   * the caller stops. A lost connection is opened again where it ended. Delivery of every event
   * is not guaranteed.
   */
  events(traceId: string, options: EventsOptions = {}): AsyncGenerator<Event, void> {
    return events(this.#http, traceId, options);
  }

  /** Returns a loop that makes a model answer a person with Helve's tools. */
  loop<Message = JsonObject, Tool = JsonObject>(options: LoopOptions<Message, Tool>): Loop<Message, Tool> {
    return new Loop(this.#http, this.tools, { ...options, context: orContext(options.context, this.context) });
  }

  /** Sends any JSON operation of the API, as described by `/openapi.json`, with the client's retries and errors. */
  async request<P extends Route, M extends Method<P>>(method: M, path: P, ...[options]: Given<P, M>): Promise<Outcome<P, M>> {
    return request<P, M>(this.#http, method, path, (options ?? {}) as Body);
  }
}
