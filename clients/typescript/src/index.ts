/**
 * A client of Helve, which executes the tool calls of AI agents. It needs fetch, streams and
 * crypto: Node 20, Deno and browsers have them.
 *
 * @module
 */
export { Helve, type HelveOptions, type OneCall } from "./client.js";
export { type CallOptions, Calls } from "./calls.js";
export { type ConsentFilter, Consents } from "./consents.js";
export { HelveError, LimitError, PendingError, RequestError, type RequestErrorType, ToolError } from "./errors.js";
export type { EventsOptions } from "./events.js";
export { type ExecuteOptions, newCallId, newTraceId } from "./execute.js";
export { type FileOptions, Files, type PutOptions } from "./files.js";
export type { Token } from "./http.js";
export { type Ask, Loop, type LoopOptions, type PendingCall, type Reply, type State } from "./loop.js";
export type { Method, Outcome, RequestOptions, Route } from "./request.js";
export type { components, paths } from "./schema.js";
export { type ToolFilter, Tools } from "./tools.js";
export { awaitsConsent, awaitsPerson } from "./wire.js";
export type * from "./wire.js";
