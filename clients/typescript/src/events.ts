import { foreign, RequestError, unreachable } from "./errors.js";
import { type Http, parse } from "./http.js";
import { traceId as checked } from "./names.js";
import { messages, TooLong } from "./sse.js";
import type { Event } from "./wire.js";

export interface EventsOptions {
  /** The id of an event after which to begin. */
  after?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A server sends a comment every 15 s; a stream that is silent for longer than this is lost. */
const longestSilence = 45_000;

/**
 * events yields the events of a trace: first those that the server still holds, then new ones,
 * until the caller stops. A lost connection is opened again after the last event.
 */
export async function* events(http: Http, trace: string, options: EventsOptions): AsyncGenerator<Event, void> {
  const outage = http.outage(options.signal);
  let last = options.after;
  for (;;) {
    try {
      for await (const event of connection(http, checked(trace), last, options.signal)) {
        if (event === "open") {
          outage.end();
          continue;
        }
        last = event.id || last;
        yield event;
      }
      throw unreachable(http.server, new Error("the event stream ended"));
    } catch (err) {
      options.signal?.throwIfAborted();
      await outage.survive(err);
    }
  }
}

/** connection yields the events of one connection, after a mark that it is open. */
async function* connection(http: Http, trace: string, after: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<Event | "open", void> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const awake = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(http.silence()), longestSilence);
  };
  const abort = () => stop.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    awake();
    const headers: { [name: string]: string } = { Accept: "text/event-stream" };
    if (after) headers["Last-Event-ID"] = after;
    const response = await http.send({ method: "GET", path: "/v1/events", query: { trace_id: trace }, headers }, stop.signal);
    if (!response.ok || !response.headers.get("Content-Type")?.startsWith("text/event-stream") || !response.body) throw await http.refusal(response);
    yield "open";
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        awake();
        controller.enqueue(chunk);
      },
    });
    for await (const { id, data } of messages(response.body.pipeThrough(watch))) {
      const event = parse(data) as Event | undefined;
      if (!event) throw foreign("an event is not Helve's; check the server's address");
      yield id ? { ...event, id } : event;
    }
  } catch (err) {
    if (stop.signal.aborted) throw stop.signal.reason;
    throw err instanceof TooLong ? foreign(err.message) : err instanceof RequestError ? err : unreachable(http.server, err);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    stop.abort();
  }
}
