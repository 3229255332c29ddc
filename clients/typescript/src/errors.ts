import type { components } from "./schema.js";
import type { State } from "./loop.js";
import { type ErrorType, pendingText, type Result } from "./wire.js";

/** The types of a request that failed as a whole. */
export type RequestErrorType = components["schemas"]["Problem"]["error_type"];

/** The base of all errors of this package. An aborted signal rejects with its own reason. */
export abstract class HelveError extends Error {}

/** The failure of a whole request: none of its calls has a result. */
export class RequestError extends HelveError {
  override readonly name = "RequestError";
  readonly type: RequestErrorType;
  /** The message for people: without the type. */
  readonly detail: string;
  /** The HTTP status; 0 if no server answered. */
  readonly status: number;
  /** The delay that the server requests, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** No server of Helve answered: the request may or may not have arrived. */
  readonly unreachable: boolean;
  /** The same request may succeed later. */
  readonly temporary: boolean;

  constructor(message: string, about: { type: RequestErrorType; detail?: string; status?: number; retryAfter?: number | undefined; unreachable?: boolean; temporary?: boolean; cause?: unknown }) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.type = about.type;
    this.detail = about.detail ?? message;
    this.status = about.status ?? 0;
    this.retryAfter = about.retryAfter;
    this.unreachable = about.unreachable ?? false;
    this.temporary = about.temporary ?? (about.type === "overloaded" || about.type === "unavailable");
  }
}

/** A call that failed, with the kind of its error. */
export class ToolError extends HelveError {
  override readonly name = "ToolError";
  readonly kind: ErrorType;

  constructor(readonly result: Result) {
    super(result.message ?? `${result.tool} failed`);
    this.kind = result.error_type ?? "internal";
  }
}

/** A call that is not done: the wait ended, or a person must decide first. */
export class PendingError extends HelveError {
  override readonly name = "PendingError";

  constructor(readonly result: Result) {
    super(
      result.state === "waiting"
        ? `${pendingText(result)} It is the call ${result.call_id} of ${result.tool}; get it later by its call_id`
        : result.consent_id === undefined
        ? `the call ${result.call_id} of ${result.tool} is ${result.state ?? "not done"}; get it later by its call_id`
        : `the call ${result.call_id} of ${result.tool} waits for the consent ${result.consent_id}`,
    );
  }
}

/** A loop that reached one of its bounds. `resume` continues from its state on a loop with higher bounds. */
export class LimitError extends HelveError {
  override readonly name = "LimitError";

  constructor(
    message: string,
    readonly state: State,
  ) {
    super(message);
  }
}

/** misused returns the error of a request that is invalid and was not sent. */
export function misused(message: string): RequestError {
  return new RequestError(message, { type: "bad_request", status: 400 });
}

/** unreachable returns the error of a server that did not answer. */
export function unreachable(server: string, cause: unknown): RequestError {
  return new RequestError(`cannot reach ${server}: ${reason(cause)}`, { type: "unavailable", unreachable: true, cause });
}

/** foreign returns the error of an answer that is not Helve's, which a retry does not change. */
export function foreign(message: string, cause?: unknown): RequestError {
  return new RequestError(message, { type: "unavailable", unreachable: true, temporary: false, cause });
}

/** reason returns the text of an error; fetch wraps the error that matters. */
function reason(err: unknown): string {
  const inner = err instanceof Error && err.cause instanceof Error ? err.cause : err;
  return inner instanceof Error ? inner.message || ("code" in inner ? String(inner.code) : inner.name) : String(inner);
}

/** settled returns a successful result and throws the error of any other. */
export function settled<T>(result: Result): Result<T> & { result: T } {
  if (result.status === "error") throw new ToolError(result);
  if (result.status !== "success") throw new PendingError(result);
  return result as Result<T> & { result: T };
}

const types: { [status: number]: RequestErrorType } = {
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "too_large",
  429: "overloaded",
};

/** problem returns the error of an unsuccessful answer. A body that is not Helve's, such as a proxy's, is ignored. */
export function problem(server: string, response: Response, body: unknown): RequestError {
  const { error_type, detail, message, title } = (typeof body === "object" && body !== null ? body : {}) as { [name: string]: unknown };
  const text = [detail, message, title].find((t) => typeof t === "string" && t !== "");
  const type = typeof error_type === "string" ? (error_type as RequestErrorType) : (types[response.status] ?? (response.status >= 500 ? "unavailable" : "bad_request"));
  const about = (text ?? `${server} answered ${response.status} ${response.statusText}; is it a Helve server?`) as string;
  return new RequestError(`${type}: ${about}`, {
    type,
    detail: about,
    status: response.status,
    retryAfter: retryAfter(response),
  });
}

/** retryAfter returns the delay of a Retry-After header, in milliseconds. */
export function retryAfter(response: Response): number | undefined {
  const text = response.headers.get("Retry-After");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds < 1e6) return seconds * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) || !Number.isNaN(seconds) ? undefined : Math.max(at - Date.now(), 0);
}
