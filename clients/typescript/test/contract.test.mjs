// The client against a running Helve.
import assert from "node:assert/strict";
import { test } from "node:test";

import { newCallId, newTraceId, PendingError, ToolError } from "@helve/client";

import { decide, person } from "./system.mjs";

test("calls, and the state of a call afterwards", async () => {
  const helve = person();
  const { call_id, result } = await helve.call("calculate", { expression: "6*7" });
  assert.equal(result.result, 42);
  assert.deepEqual((await helve.calls.get(call_id)).result, result);
  await assert.rejects(helve.calls.get("nobody"), { type: "not_found", status: 404 });
  await assert.rejects(helve.call("debug.fail", { how: "error", kind: "not_found", message: "gone" }), (err) => err instanceof ToolError && err.kind === "not_found" && err.message === "gone");
  const { results } = await helve.execute({ calls: [{ tool: "no_such_tool" }, { tool: "debug.echo", arguments: '{"value": [1]}' }] });
  assert.deepEqual(results.map((r) => [r.status, r.error_type, r.result]), [["error", "tool_not_found", undefined], ["success", undefined, [1]]]);
});

test("a call_id runs once", async () => {
  const helve = person();
  const call_id = newCallId();
  const calls = await Promise.all([1, 2, 3].map(() => helve.call("debug.effect", { key: "k" }, { call_id })));
  assert.ok(calls.every(({ result }) => result.written));
  const ledger = await (await helve.files.get("ledger.txt")).text();
  assert.equal(ledger.trim().split("\n").length, 1);
  await assert.rejects(helve.call("debug.effect", { key: "other" }, { call_id }), { kind: "validation_error" });
});

test("numbers keep their digits in the text of a result", async () => {
  const helve = person();
  const { call_id } = await helve.call("debug.echo", '{"value": 12345678901234567890}');
  assert.equal(await helve.calls.text(call_id), "12345678901234567890");
});

test("a result that does not fit its answer is fetched and checked", async () => {
  const bytes = 17 * 2 ** 20;
  const { result, result_ref } = await person().call("debug.blob", { bytes });
  assert.equal(result.length, bytes);
  assert.equal(result_ref, undefined);
});

test("cancel", async () => {
  const helve = person();
  const call_id = newCallId();
  await assert.rejects(helve.call("debug.sleep", { ms: 600_000 }, { call_id, wait_ms: 0 }), PendingError);
  const cancelled = await helve.calls.cancel(call_id);
  assert.deepEqual([cancelled.state, cancelled.error_type], ["done", "cancelled"]);
});

test("the events of a trace, live and again from the middle", async () => {
  const helve = person();
  const trace_id = newTraceId();
  const seen = [];
  const live = (async () => {
    for await (const event of helve.events(trace_id)) {
      seen.push(event);
      if (event.type === "done") return;
    }
  })();
  await helve.call("debug.sleep", { ms: 20 }, { trace_id });
  await live;
  assert.deepEqual(seen.map(({ type }) => type), ["queued", "started", "done"]);
  const rest = [];
  for await (const event of helve.events(trace_id, { after: seen[0].id })) {
    rest.push(event);
    if (event.type === "done") break;
  }
  assert.deepEqual(rest, seen.slice(1));
});

test("consent: a call waits and runs when granted, and fails when denied", async () => {
  const helve = person();
  const told = [];
  const call = helve.call("debug.guarded", { key: "a" }, { consent: "wait", wait_ms: Infinity, onConsent: (call) => told.push(call.consent_id) });
  const decided = await decide(helve);
  assert.equal(decided.status, "granted");
  assert.deepEqual((await call).result, { written: true });
  assert.deepEqual(told, [decided.consent_id]);
  await assert.rejects(helve.consents.decide(decided.consent_id, { decision: "deny" }), { type: "conflict" });

  const pending = await helve.execute({ calls: [{ tool: "debug.guarded", arguments: { key: "b" } }] });
  const { consent_id, call_id } = pending.results[0];
  const [listed] = (await helve.consents.list({ user: helve.context.user, status: "pending" })).consents;
  assert.deepEqual([listed.consent_id, listed.tool, listed.risk], [consent_id, "debug.guarded", "medium"]);
  assert.equal((await helve.consents.get(consent_id)).status, "pending");
  const waiting = helve.consents.wait(consent_id);
  await helve.consents.decide(consent_id, { decision: "deny", comment: "no" });
  assert.deepEqual([(await waiting).status, (await waiting).decision.comment], ["denied", "no"]);
  for await (const { type, call_id: of } of helve.events(pending.trace_id)) if (of === call_id && type === "done") break;
  assert.equal((await helve.calls.get(call_id)).error_type, "permission_denied");
});

test("files", async () => {
  const helve = person();
  const { created, etag } = await helve.files.put("notes/ä b.txt", "one");
  assert.equal(created, true);
  await assert.rejects(helve.files.put("notes/ä b.txt", "two", { ifAbsent: true }), { status: 412 });
  await helve.files.put("notes/ä b.txt", new TextEncoder().encode("two"), { ifMatch: etag });
  await helve.files.put("stream.bin", new Blob(["a", "b"]).stream());
  const got = await helve.files.get("notes/ä b.txt");
  assert.equal(await got.text(), "two");
  assert.notEqual(got.headers.get("ETag"), etag);
  let size = 0;
  for await (const chunk of (await helve.files.get("stream.bin")).body) size += chunk.length;
  assert.equal(size, 2);
  assert.deepEqual((await helve.files.list()).map(({ path, size }) => [path, size]), [["notes/ä b.txt", 3], ["stream.bin", 2]]);
  assert.deepEqual((await helve.files.list("notes")).map(({ path }) => path), ["notes/ä b.txt"]);
  await helve.files.delete("stream.bin");
  await assert.rejects(helve.files.get("stream.bin"), { type: "not_found" });
});

test("tools, in their own form and in those of providers", async () => {
  const helve = person();
  const tool = (await helve.tools.list({ group: "core" })).find(({ name }) => name === "calculate");
  assert.equal(tool.parameters.type, "object");
  assert.equal((await helve.tools.get("calculate")).risk, "low");
  await assert.rejects(helve.tools.get("no_such_tool"), { type: "not_found" });
  const openai = await helve.tools.listAs("openai", { group: "core" });
  assert.ok(openai.some(({ type, function: { name } }) => type === "function" && name === "calculate"));
  const anthropic = await helve.tools.listAs("anthropic", { group: "core" });
  assert.ok(anthropic.some(({ name, input_schema }) => name === "calculate" && input_schema.type === "object"));
});

test("any operation of the API", async () => {
  const helve = person();
  await helve.request("put", "/v1/agents/{agent}", { path: { agent: helve.context.user }, body: { tools: ["calculate"] } });
  const { agents } = await helve.request("get", "/v1/agents");
  assert.deepEqual(agents.find(({ agent }) => agent === helve.context.user)?.tools, ["calculate"]);
  const offered = await person({ context: { agent: helve.context.user } }).tools.list();
  assert.deepEqual(offered.map(({ name }) => name), ["calculate"]);
});
