import { within } from "./deadline.js";
import { foreign, misused, problem, RequestError, retryAfter, unreachable } from "./errors.js";
import { answerTimeout, Outage, retrying } from "./retry.js";

/** An API key or token of the identity provider, or a function that returns the present one. */
export type Token = string | ((refresh: boolean) => string | Promise<string>);

export interface HttpOptions {
  /** The address of the server, such as `http://127.0.0.1:8080`; in a browser it may be relative to the page. */
  url: string | URL;
  /** A function is called for each request, and again with `true` after the server refused its token. */
  token?: Token;
  /** The tenant; that of the token if absent. */
  tenant?: string;
  /**
   * How long the server may fail before a request fails, in milliseconds; 60,000 if absent.
   * With 0 a request that failed is not sent again, with Infinity it is until its signal aborts.
   */
  retryFor?: number;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
}

/** One request, without the server's address. */
export interface Operation {
  method: string;
  path: string;
  query?: { [name: string]: string | number | boolean | undefined };
  headers?: { [name: string]: string };
  /** The body: a value sent as JSON, or other content. */
  json?: unknown;
  content?: BodyInit;
  signal?: AbortSignal | undefined;
  /** The time for an answer, in milliseconds; 30 s if absent. */
  patience?: number;
}

/** Http sends requests to one server and reads JSON answers. */
export class Http {
  readonly server: string;
  readonly retryFor: number;
  readonly #token: Token | undefined;
  readonly #tenant: string | undefined;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: HttpOptions) {
    this.server = base(options.url);
    this.retryFor = options.retryFor ?? 60_000;
    this.#token = options.token;
    this.#tenant = options.tenant;
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
    if (typeof this.#token === "string") checkToken(this.#token);
  }

  outage(signal?: AbortSignal): Outage {
    return new Outage(this.retryFor, signal);
  }

  /** ask sends a request, again if that may help, and returns the body of the answer. */
  async ask<T>(op: Operation): Promise<T> {
    return retrying(this.outage(op.signal), async () => (await this.once<T>(op)).body);
  }

  /** once sends a request one time. An answer that holds the results of calls is returned whatever its status. */
  async once<T>(op: Operation): Promise<{ body: T; retryAfter: number | undefined }> {
    return this.#within(op, async (response) => {
      const text = await response.text();
      const body = parse(text);
      if (!response.ok && !holdsResults(body)) throw problem(this.server, response, body);
      if (body === undefined && text !== "") throw foreign("the answer is not Helve's; check the server's address");
      return { body: body as T, retryAfter: retryAfter(response) };
    });
  }

  /** read sends a request, again if that may help and is allowed, and reads a successful answer. */
  async read<T>(op: Operation, read: (response: Response) => Promise<T>, again = true): Promise<T> {
    const request = () => this.#within(op, async (response) => read(await this.#successful(response)));
    return again ? retrying(this.outage(op.signal), request) : request();
  }

  /** open sends a request and returns the successful answer, whose body is not read. */
  async open(op: Operation): Promise<Response> {
    return retrying(this.outage(op.signal), async () => {
      // This signal is not that of #within, since it must also end the body.
      const late = new AbortController();
      const signal = op.signal ? AbortSignal.any([op.signal, late.signal]) : late.signal;
      return within(op.patience ?? answerTimeout, op.signal, this.silence, async (limit) => {
        const stop = () => late.abort(limit.reason);
        limit.addEventListener("abort", stop, { once: true });
        const response = await this.#successful(await this.send(op, signal));
        limit.removeEventListener("abort", stop);
        return response;
      });
    });
  }

  async #within<T>(op: Operation, read: (response: Response) => Promise<T>): Promise<T> {
    return within(op.patience ?? answerTimeout, op.signal, this.silence, async (signal) => {
      const response = await this.send(op, signal);
      try {
        return await read(response);
      } catch (err) {
        throw this.lost(err);
      }
    });
  }

  async #successful(response: Response): Promise<Response> {
    if (response.ok) return response;
    throw await this.refusal(response);
  }

  /** refusal returns the error of an answer that is not the one expected. */
  async refusal(response: Response): Promise<RequestError> {
    if (response.ok) {
      await response.body?.cancel();
      return foreign("the answer is not Helve's; check the server's address");
    }
    return problem(this.server, response, parse(await response.text()));
  }

  /** send returns the answer to a request, whatever its status. A token that the server refuses is requested again once. */
  async send(op: Operation, signal: AbortSignal): Promise<Response> {
    const response = await this.#send(op, signal, false);
    if (response.status !== 401 || typeof this.#token !== "function" || op.content instanceof ReadableStream) return response;
    await response.body?.cancel();
    return this.#send(op, signal, true);
  }

  async #send(op: Operation, signal: AbortSignal, refresh: boolean): Promise<Response> {
    const headers = new Headers(op.headers);
    if (this.#tenant !== undefined) headers.set("Helve-Tenant", this.#tenant);
    const token = typeof this.#token === "function" ? checkToken(await this.#token(refresh)) : this.#token;
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const init: RequestInit & { duplex?: "half" } = { method: op.method, headers, signal };
    if (op.json !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = encode(op.json);
    } else if (op.content !== undefined) {
      headers.set("Content-Type", "application/octet-stream");
      init.body = op.content;
      if (op.content instanceof ReadableStream) init.duplex = "half";
    }
    try {
      return await this.#fetch(this.server + op.path + search(op.query), init);
    } catch (err) {
      throw this.lost(err);
    }
  }

  /** lost returns the error of a connection that was lost, unless err is another. */
  lost(err: unknown): unknown {
    return err instanceof RequestError ? err : unreachable(this.server, err);
  }

  readonly silence = (): RequestError => unreachable(this.server, new Error("no answer in time"));
}

/** base returns the address without a slash at its end. A relative one is of the page's origin. */
function base(url: string | URL): string {
  let parsed;
  try {
    parsed = new URL(url, globalThis.location?.href);
  } catch {
    throw misused("the server's url cannot be read; use http://HOST:PORT");
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") throw misused(`the server's url begins with ${parsed.protocol}; use http: or https:`);
  if (parsed.username !== "" || parsed.password !== "") throw misused("the server's url must not hold a password; set token");
  if (parsed.search !== "" || parsed.hash !== "") throw misused("the server's url must end with its path, without query or fragment");
  return parsed.origin + parsed.pathname.replace(/\/+$/, "");
}

/** checkToken returns a token that is one word of a header. Its text is not part of the error. */
function checkToken(token: string): string {
  if (!/^[!-~]+$/.test(token)) throw misused('the token must be one word of visible ASCII characters, without "Bearer"');
  return token;
}

function search(query: Operation["query"]): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  return params.size > 0 ? `?${params}` : "";
}

function encode(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (err) {
    throw misused(`the request cannot be encoded as JSON: ${(err as Error).message}`);
  }
}

/** parse returns a value of JSON, or undefined if the text is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function holdsResults(body: unknown): boolean {
  return typeof body === "object" && body !== null && Array.isArray((body as { results?: unknown }).results);
}
