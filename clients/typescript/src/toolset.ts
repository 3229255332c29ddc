// The part that the adapters for agent frameworks share: an agent's tools, with a function that
// runs each and waits for a person where one must decide.
import type { Helve } from "./client.js";
import { PendingError, settled, ToolError } from "./errors.js";
import { newCallId, orContext } from "./execute.js";
import type { ToolFilter } from "./tools.js";
import { pendingText } from "./wire.js";
import type { AwaitingConsent, Context, JsonObject, Result } from "./wire.js";

/** Selects an agent's tools and describes its calls. */
export interface ToolsetOptions extends ToolFilter {
  /** The person, agent and conversation of the calls; absent fields are the client's. */
  context?: Context;
  /** The trace of the calls; one for each if absent. */
  trace_id?: string;
  /** The longest time to wait for a call and for the person who must decide; no bound if absent. A consent expires by itself. */
  wait_ms?: number;
  /** Makes the ids of calls from those of the model, so that a framework that repeats a step after a crash does not repeat the calls. Unique for each conversation. */
  callIdPrefix?: string;
  /** Receives each call that begins to wait for a person. */
  onConsent?: (call: AwaitingConsent) => void;
  /** Receives each result. */
  onResult?: (result: Result) => void;
}

/** A tool for a framework. */
export interface OfferedTool {
  /** The name for models, without dots. */
  name: string;
  description: string;
  /** The JSON Schema of the arguments, an object. */
  parameters: JsonObject & { type: "object"; properties: JsonObject; required: string[] };
  /** Runs the tool. A failed call is a ToolError. An aborted signal also cancels the call. */
  run: (args: unknown, call?: { id?: string | undefined; signal?: AbortSignal | undefined }) => Promise<Result>;
}

/** What a model is shown of a result: the content of a tool result in Helve's own messages. */
export type ToolContent =
  | { status: "success"; result: unknown; notes?: string[] }
  | { status: "error"; error_type: string; message: string }
  | { status: "pending"; call_id: string; message: string };

/** Returns what a model is shown of a result. */
export function contentOf(result: Result): ToolContent {
  if (result.status === "pending") return { status: "pending", call_id: result.call_id, message: pendingText(result) };
  if (result.status !== "success") return { status: "error", error_type: result.error_type ?? "internal", message: result.message ?? "" };
  return { status: "success", result: result.text ?? result.result ?? null, ...(result.notes && { notes: result.notes }) };
}

/** Returns what a model is shown of a call that failed or is not done. It throws any other error. */
export function contentOfError(err: unknown): ToolContent {
  if (err instanceof ToolError) return contentOf(err.result);
  if (err instanceof PendingError) return { status: "pending", call_id: err.result.call_id, message: pendingText(err.result) };
  throw err;
}

/** Returns the tools that an agent may use, for use in any framework. */
export async function toolset(helve: Helve, options: ToolsetOptions = {}): Promise<OfferedTool[]> {
  const { context, trace_id, wait_ms = Infinity, callIdPrefix, onConsent, onResult, ...filter } = options;
  const { agent, user, toolset } = orContext(context, helve.context);
  const tools = await helve.tools.list({ ...(agent && { agent }), ...(user && { user }), ...(toolset && { toolset }), ...filter });
  return tools.map((tool) => ({
    name: tool.name.replaceAll(".", "_"),
    description: tool.description,
    parameters: objectSchema(tool.parameters),
    async run(args, { id, signal } = {}) {
      const call_id = callIdPrefix && id ? await callIdOf(callIdPrefix, id) : newCallId();
      const call = { call_id, tool: tool.name, arguments: args as object | string, ...(id && { tool_call_id: id }) };
      const request = { calls: [call], consent: "wait" as const, wait_ms, ...(context && { context }), ...(trace_id && { trace_id }) };
      const { results } = await helve.execute(request, { signal, onConsent }).catch((err) => {
        if (signal?.aborted) void helve.calls.cancel(call_id).catch(() => {}); // the call may have ended
        throw err;
      });
      const result = results[0] as Result;
      onResult?.(result);
      return settled(result);
    },
  }));
}

function objectSchema(schema: unknown): OfferedTool["parameters"] {
  const given = typeof schema === "object" && schema !== null ? (schema as JsonObject) : {};
  return { ...given, type: "object", properties: (given.properties ?? {}) as JsonObject, required: (given.required ?? []) as string[] };
}

/** callIdOf returns the id of a call from that of the model, which may be any text. */
async function callIdOf(prefix: string, id: string): Promise<string> {
  const joined = `${prefix}-${id}`;
  if (/^[A-Za-z0-9_-]{1,128}$/.test(joined)) return joined;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(id)));
  return `${prefix}-${Array.from(hash.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
