// Uses a dispatcher through a client that is generated from its /openapi.json. It
// needs the diagnostic tools: helve up --diagnostics.
//
//   npm ci && npm test        HELVE_SERVER says where, http://127.0.0.1:8080 if unset
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

import { callsCancel, callsGet, callsResult, events, execute, toolsGet, toolsList } from "./generated";
import type { ErrorType, Event, ExecuteCalls, Result } from "./generated";
import { client } from "./generated/client.gen";

client.setConfig({
  baseUrl: process.env.HELVE_SERVER ?? "http://127.0.0.1:8080",
  headers: { "Helve-Tenant": "typescript" },
});

// Sets that are closed are closed to the compiler: without the error it complains.
// @ts-expect-error
const nothing: ErrorType = "no_such_error";

const unique = () => randomBytes(16).toString("hex");

// run makes calls and returns their results, in the order asked.
async function run(request: ExecuteCalls): Promise<Result[]> {
  const { data, error } = await execute({ body: request });
  if (!data) throw new Error(`${error?.error_type}: ${error?.detail}`);
  return data.results;
}

async function tools() {
  const { data } = await toolsList({ query: { q: "calculate", format: "native" } });
  assert(data && "load_errors" in data);
  assert(data.tools.some((tool) => tool.name === "calculate" && tool.risk === "low"));
  const one = await toolsGet({ path: { name: "calculate" } });
  assert.equal(one.data?.kind, "builtin");
}

async function calls() {
  const [sum, missing] = await run({
    context: { user: "ada" },
    calls: [{ call_id: unique(), tool: "calculate", arguments: { expression: "6*7" } }, { tool: "no_such_tool" }],
  });
  assert.equal(sum?.status, "success");
  assert.equal((sum.result as { result: number }).result, 42);
  assert.equal(missing?.error_type, "tool_not_found");

  const again = await callsGet({ path: { call_id: sum.call_id } });
  assert.deepEqual(again.data, sum);
  const bytes = await callsResult({ path: { call_id: sum.call_id } });
  assert.deepEqual(bytes.data, sum.result);
}

async function cancel() {
  const [sleeper] = await run({ wait_ms: 0, calls: [{ call_id: unique(), tool: "debug.sleep", arguments: { ms: 600_000 } }] });
  assert.equal(sleeper?.status, "pending");
  const { data } = await callsCancel({ path: { call_id: sleeper.call_id } });
  assert.equal(data?.error_type, "cancelled");
  assert.equal(data.state, "done");
}

async function problem() {
  const { data, error, response } = await callsGet({ path: { call_id: "nobody" } });
  assert.equal(data, undefined);
  assert.equal(response.status, 404);
  assert.equal(response.headers.get("Content-Type"), "application/problem+json");
  assert.equal(error?.error_type, "not_found");
}

// listen yields the events of a trace up to the end of a call.
async function listen(trace: string, after?: string): Promise<Event[]> {
  const stop = new AbortController();
  const heard: Event[] = [];
  const headers = after ? { "Last-Event-ID": after } : {};
  const { stream } = await events({ query: { trace_id: trace }, headers, signal: stop.signal });
  for await (const event of stream as AsyncIterable<Event>) {
    heard.push(event);
    if (event.type === "done") break;
  }
  stop.abort();
  return heard;
}

async function stream() {
  const trace = unique();
  const live = listen(trace);
  await run({ trace_id: trace, calls: [{ tool: "debug.sleep", arguments: { ms: 50 } }] });
  const heard = await live;
  assert.deepEqual(heard.map((event) => event.type), ["queued", "started", "done"]);
  assert(heard.every((event) => event.trace_id === trace && event.tool === "debug.sleep"));
  const rest = await listen(trace, heard[0]?.id);
  assert.deepEqual(rest, heard.slice(1));
}

async function main() {
  for (const part of [tools, calls, cancel, problem, stream]) {
    await part();
    console.log(`${part.name}: ok`);
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
