import { fetchResult } from "./execute.js";
import type { Http } from "./http.js";
import { callId } from "./names.js";
import type { JsonObject, Result } from "./wire.js";

export interface CallOptions {
  signal?: AbortSignal;
}

/** Calls that were made before, by this or another client. */
export class Calls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns the state of a call. An unknown or expired call_id is a RequestError of type not_found. */
  async get<T = unknown>(id: string, options: CallOptions & { include?: "arguments" } = {}): Promise<Result<T> & { arguments?: JsonObject }> {
    return this.#one("GET", `/v1/calls/${callId(id)}`, options);
  }

  /** Cancels a call and returns its state. A call that is done keeps its result. */
  async cancel<T = unknown>(id: string, options: CallOptions = {}): Promise<Result<T>> {
    return this.#one("POST", `/v1/calls/${callId(id)}/cancel`, options);
  }

  /** Returns the result of a call as the text of its JSON, in which numbers keep every digit. */
  async text(id: string, options: CallOptions = {}): Promise<string> {
    return this.#http.read({ method: "GET", path: `/v1/calls/${callId(id)}/result`, ...options }, (response) => response.text());
  }

  async #one<T>(method: string, path: string, { signal, include }: CallOptions & { include?: string }): Promise<Result<T>> {
    const result = await this.#http.ask<Result<T>>({ method, path, query: { include }, signal });
    await fetchResult(this.#http, result, signal);
    return result;
  }
}
