import { foreign, RequestError } from "./errors.js";
import type { Http } from "./http.js";
import { answerTimeout, marginAfter, retrying, waitSlice } from "./retry.js";
import { awaitsConsent, awaitsPerson } from "./wire.js";
import type { Answer, AwaitingConsent, Context, ExecuteCalls, ExecuteMessage, Result } from "./wire.js";

/** Options of a request that are not sent to the server. */
export interface ExecuteOptions {
  signal?: AbortSignal | undefined;
  /** Receives the state of the calls after each answer of the server. */
  onResults?: ((results: Result[]) => void) | undefined;
  /** Receives each call that begins to wait for a person, once. */
  onConsent?: ((call: AwaitingConsent) => void) | undefined;
}

const defaultWait = 30_000;
/** The largest result that is read into memory, in bytes. */
const largestResult = 256 * 2 ** 20;
/** The speed at which a large result must arrive, in bytes per millisecond. */
const slowest = 500;

/** newCallId returns a unique call_id. */
export function newCallId(): string {
  return crypto.randomUUID();
}

/** newTraceId returns a trace id. */
export function newTraceId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** orContext fills the absent fields of a context. */
export function orContext(context: Context | undefined, defaults: Context | undefined): Context {
  return { ...defaults, ...Object.fromEntries(Object.entries(context ?? {}).filter(([, value]) => value)) };
}

type Request = ExecuteCalls | ExecuteMessage;

/**
 * execute sends calls, with the same ids, until each is settled or the wait is over. Calls are
 * repeated one by one, a message as a whole: its calls have ids with its prefix.
 */
export async function execute(http: Http, request: Request, options: ExecuteOptions): Promise<Answer> {
  const base: Request = { ...request, trace_id: request.trace_id || newTraceId() };
  if ("calls" in base) base.calls = base.calls.map((call) => ({ ...call, call_id: call.call_id || newCallId() }));
  else base.call_id_prefix ||= newCallId();

  const outage = http.outage(options.signal);
  const end = Date.now() + (request.wait_ms ?? defaultWait);
  const told = new Set<string>();
  const results: Result[] = [];
  const forConsent = request.consent === "wait";
  // With a callback for them, the calls that wait for a person are returned first.
  const consent = () => request.consent === "tell" ? "tell" : (forConsent && (!options.onConsent || (results.length > 0 && results.every(idle))) ? "wait" : "return");
  let open = "calls" in base ? base.calls.map((_, i) => i) : [];
  for (let answered = 0; ; answered++) {
    const left = () => Math.max(end - Date.now(), 0);
    const { answer, hint, wait } = await retrying(outage, async () => {
      const wait_ms = waitSlice(answered, left());
      const part = { ...base, ...("calls" in base && { calls: open.map((i) => base.calls[i]) }), wait_ms, consent: consent() };
      const { body, retryAfter } = await http.once<Answer>({
        method: "POST", path: "/v1/execute", json: part, signal: options.signal, patience: wait_ms + marginAfter(outage.attempt),
      });
      if (!Array.isArray(body?.results) || ("calls" in base && body.results.length !== open.length)) {
        throw foreign("the server did not answer each call; check its address and version");
      }
      return { answer: body, hint: retryAfter, wait: left() };
    });
    if (!("calls" in base)) open = answer.results.map((_, i) => i);
    open.forEach((i, at) => (results[i] = answer.results[at] as Result));
    tell(results, told, options);

    const refused = open.some((i) => results[i]?.error_type === "overloaded");
    const stop = refused && outage.exceeded();
    open = open.filter((i) => unsettled(results[i] as Result, wait > 0, forConsent) && !stop);
    if (open.length === 0) {
      if ("calls" in base) await Promise.all(results.map((result) => fetchResult(http, result, options.signal)));
      return { trace_id: answer.trace_id, results, ...(answer.messages && { messages: answer.messages }) };
    }
    if (refused) await outage.pause(hint);
    else outage.end(); // the server works; the calls take long
  }
}

/** idle reports whether a call is done or waits for a person. */
function idle(result: Result): boolean {
  return result.status !== "pending" || awaitsPerson(result);
}

function tell(results: Result[], told: Set<string>, options: ExecuteOptions): void {
  options.onResults?.(results.slice());
  for (const result of results) {
    if (!awaitsConsent(result) || told.has(result.consent_id + result.call_id)) continue;
    told.add(result.consent_id + result.call_id);
    options.onConsent?.(result);
  }
}

/** unsettled reports whether a call must be sent again. An overloaded server's answer is not the call's result. */
function unsettled(result: Result, mayWait: boolean, forConsent: boolean): boolean {
  if (result.status === "error") return result.error_type === "overloaded";
  return result.status === "pending" && mayWait && (forConsent || !awaitsPerson(result));
}

/** fetchResult sets the result that was too large for its message, after a check of its size and hash. */
export async function fetchResult(http: Http, result: Result, signal: AbortSignal | undefined): Promise<void> {
  const ref = result.result_ref;
  if (!ref || result.result !== undefined) return;
  if (ref.size > largestResult) {
    throw new RequestError(`the result of call ${result.call_id} has ${ref.size} bytes, more than the ${largestResult} that are read into memory; stream it from /v1/calls/${result.call_id}/result`, { type: "too_large" });
  }
  const bytes = await http.read(
    { method: "GET", path: `/v1/calls/${encodeURIComponent(result.call_id)}/result`, signal, patience: answerTimeout + ref.size / slowest },
    (response) => response.arrayBuffer(),
  );
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  if (bytes.byteLength !== ref.size || hex(hash) !== ref.sha256.toLowerCase()) {
    throw foreign(`the result of call ${result.call_id} has ${bytes.byteLength} bytes and not the ${ref.size} announced, or another hash: the stored result is damaged`);
  }
  result.result = JSON.parse(new TextDecoder().decode(bytes));
  delete result.result_ref;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
