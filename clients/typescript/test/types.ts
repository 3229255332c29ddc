// What the compiler must accept and refuse. It is compiled and not run.
import type { Tool as AITool } from "ai";
import type { Helve } from "@helve/client";
import { awaitsConsent, type Loop, RequestError, ToolError } from "@helve/client";
import { helveTools } from "@helve/client/ai";

export async function calls(helve: Helve): Promise<number> {
  const { result } = await helve.call<{ result: number }>("calculate", { expression: "6*7" }, { timeout_ms: 5, signal: AbortSignal.timeout(1) });
  // @ts-expect-error An option that does not exist.
  await helve.call("calculate", {}, { timeoutMs: 5 });
  const { results } = await helve.execute({ calls: [{ tool: "calculate" }], consent: "wait" });
  // @ts-expect-error A set that is closed.
  await helve.execute({ calls: [{ tool: "calculate" }], consent: "never" });
  for (const call of results) if (awaitsConsent(call)) await helve.consents.decide(call.consent_id, { decision: "grant", remember: "session" });
  // @ts-expect-error The result of a call is not known.
  return results[0]?.result ?? result.result;
}

export function kinds(err: unknown): boolean {
  // @ts-expect-error A kind that does not exist.
  if (err instanceof ToolError && err.kind === "no_such_kind") return true;
  return (err instanceof ToolError && err.kind === "not_found") || (err instanceof RequestError && err.type === "not_found");
}

export async function requests(helve: Helve): Promise<string | undefined> {
  const { records } = await helve.request("get", "/v1/audit", { query: { tool: "calculate", limit: 5 } });
  await helve.request("put", "/v1/agents/{agent}", { path: { agent: "a1" }, body: { tools: ["calculate"] } });
  // @ts-expect-error The path has a value that is missing.
  await helve.request("delete", "/v1/agents/{agent}");
  // @ts-expect-error The path has no such method.
  await helve.request("put", "/v1/audit", {});
  return records[0]?.call_id;
}

interface Message { role: string }
interface ModelTool { type: "function" }

export function loop(helve: Helve, ask: (messages: Message[], tools: ModelTool[]) => Promise<object>): Loop<Message, ModelTool> {
  return helve.loop<Message, ModelTool>({ format: "openai", ask: ({ messages, tools }) => ask(messages, tools), save: async ({ conversation }) => void conversation.length });
}

export async function adapter(helve: Helve): Promise<Record<string, AITool>> {
  return helveTools(helve, { agent: "a1", onConsent: ({ consent_id }) => consent_id.length });
}
