// Names for the bodies of Helve's API, and the places where a client is more lenient than the
// generated types.
import type { components } from "./schema.js";

type Schemas = components["schemas"];

/** An object of JSON whose members are not known to the client. */
export type JsonObject = { [name: string]: unknown };

/** The person, agent, conversation and tool set of calls; each 1 to 64 letters, digits, `_` and `-`. */
export type Context = Schemas["Context"];
/** The type of a call that failed. */
export type ErrorType = Schemas["ErrorType"];
/** One step of a call. */
export type Event = Schemas["Event"];
/** The definition of a tool. */
export type Tool = Schemas["Tool"];
/** A request to a person to approve a call. */
export type Consent = Schemas["Consent"];
export type ConsentStatus = Schemas["ConsentStatus"];
export type ConsentPage = Schemas["ConsentList"];
/** A person's decision on a consent. */
export type Decision = Omit<Schemas["DecisionRequest"], "by" | "context">;
/** A file of a workspace. */
export type File = Schemas["File"];
/** The formats of the model providers whose messages Helve reads and writes. */
export type Format = Schemas["ExecuteMessage"]["format"];

/** One call. Only `tool` is required. */
export type Call = Omit<Schemas["Call"], "arguments"> & {
  /** An object that matches the tool's parameters, or a JSON string that contains it. */
  arguments?: object | string;
};

/** The state of a call: its result, an error, or pending. */
export type Result<T = unknown> = Omit<Schemas["Result"], "result"> & {
  /** The tool's result. Integers beyond 2^53 lose digits here; `calls.text` keeps them. */
  result?: T;
};

/** A pending call that waits for a person. */
export type AwaitingConsent = Result & { status: "pending"; state: "awaiting_consent"; consent_id: string };

/** How calls are handled that wait: `return`, the default, returns them, `wait` waits too, `tell` also tells the model. */
export type Telling = "return" | "wait" | "tell";

interface Execution {
  context?: Context;
  /** 32 lower-case hex digits; the client makes one if absent. */
  trace_id?: string;
  /** The longest time to wait for results; 30 s if absent, Infinity for no bound. */
  wait_ms?: number;
  /** `wait` also waits for a person who must decide; `return` is the default. */
  consent?: "return" | "wait";
  callback?: Schemas["Callback"];
}

/** Calls that run concurrently. */
export interface ExecuteCalls extends Execution {
  calls: Call[];
}

/** A model's message that holds calls, as the provider returned it. */
export interface ExecuteMessage extends Omit<Execution, "consent"> {
  /** As for calls; with `tell` the messages tell the model which calls wait for a person or a time. */
  consent?: Telling;
  format: Format;
  message: object;
  /** The prefix of the calls' ids; the client makes one if absent. */
  call_id_prefix?: string;
  priority?: "interactive" | "batch";
}

/** The answer to an execute request. */
export interface Answer<Message = JsonObject> {
  trace_id: string;
  /** One result for each call, in the order of the request. */
  results: Result[];
  /** The messages to append, in the provider's format; absent while a call is pending, unless the model is told so. */
  messages?: Message[];
}

/** Reports whether a call waits for a person. */
export function awaitsConsent(result: Result): result is AwaitingConsent {
  return result.status === "pending" && result.state === "awaiting_consent" && result.consent_id !== undefined;
}

/**
 * Reports whether a person must decide or answer before a call goes on: about the call itself, or
 * about a step of the program that it is.
 */
export function awaitsPerson(result: Result): boolean {
  if (result.status !== "pending" || result.state !== "waiting") return awaitsConsent(result);
  return (result.waiting_for ?? []).some(({ kind }) => kind === "consent" || kind === "answer");
}

/** Returns the sentence about a call without a result, for a model. */
export function pendingText(result: Result): string {
  const after = "It goes on by itself; do not make it again.";
  if (result.state !== "waiting") {
    return result.consent_id ? `The call has no result yet: a person must approve it first. ${after}` : "The call has no result yet: it is still running.";
  }
  const waiting = result.waiting_for ?? [];
  const [time] = waiting.flatMap(({ until }) => until ?? []).sort();
  const waits = waiting.some(({ kind }) => kind === "answer") ? "it waits for the answer of a person"
    : waiting.some(({ kind }) => kind === "consent") ? "a person must approve one of its calls"
    : time ? `it waits until ${time}` : "its calls still run";
  return `The program has no result yet: ${waits}. ${after}`;
}
