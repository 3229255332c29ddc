import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Helve, RequestError } from "@helve/client";

import { cut, json, pend, problem, serve, succeed } from "./serve.mjs";

const ids = (requests) => requests.map(({ json }) => json.calls.map((call) => call.call_id).join());

test("a call whose answer was lost is sent again with the same call_id", async (t) => {
  const { url, requests } = await serve(t, cut, cut, succeed);
  const { result } = await new Helve({ url }).call("debug.echo", { value: 1 });
  assert.deepEqual(result, { value: 1 });
  const [first, ...rest] = ids(requests);
  assert.match(first, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, [first, first]);
  assert.match(requests[0].json.trace_id, /^[0-9a-f]{32}$/);
  assert.equal(new Set(requests.map((request) => request.json.trace_id)).size, 1);
});

test("the caller's call_id and trace_id are sent as they are", async (t) => {
  const { url, requests } = await serve(t, cut, succeed);
  const trace_id = "0123456789abcdef0123456789abcdef";
  await new Helve({ url }).call("debug.echo", {}, { call_id: "mine", trace_id, timeout_ms: 5 });
  for (const { json } of requests) {
    assert.equal(json.trace_id, trace_id);
    assert.deepEqual(json.calls, [{ call_id: "mine", tool: "debug.echo", arguments: {}, timeout_ms: 5 }]);
  }
  assert.equal(requests.length, 2);
});

test("an overloaded server is asked again, not sooner than it requests", async (t) => {
  const { url, requests } = await serve(t, problem(503, "overloaded", { "Retry-After": "0.3" }), succeed);
  const timers = t.mock.method(globalThis, "setTimeout");
  await new Helve({ url }).call("debug.echo");
  assert.equal(requests.length, 2);
  assert.ok(timers.mock.calls.some(({ arguments: [, ms] }) => ms === 300), "the pause is the one requested");
});

test("only the calls that an overloaded server refused are sent again", async (t) => {
  const refuse = ({ json: { trace_id, calls } }, response) => {
    const results = calls.map(({ call_id, tool }, i) =>
      i === 0 ? { call_id, tool, status: "success", result: "first", duration_ms: 1 } : { call_id, tool, status: "error", error_type: "overloaded", message: "later", duration_ms: 0 });
    json({ error_type: "overloaded", trace_id, results }, 503)(undefined, response);
  };
  const { url, requests } = await serve(t, refuse, succeed);
  const { results } = await new Helve({ url }).execute({ calls: [{ tool: "a" }, { tool: "b", arguments: { n: 2 } }] });
  assert.deepEqual(results.map((r) => [r.status, r.result]), [["success", "first"], ["success", { n: 2 }]]);
  const [both, one] = ids(requests);
  assert.equal(one, both.split(",")[1]);
});

test("a call that a server refuses for longer than retryFor is returned as refused", async (t) => {
  const refuse = ({ json: { trace_id, calls } }, response) => json({ trace_id, results: calls.map((call) => ({ ...call, status: "error", error_type: "overloaded", message: "later", duration_ms: 0 })) }, 503)(undefined, response);
  const { url, requests } = await serve(t, refuse);
  await assert.rejects(new Helve({ url, retryFor: 200 }).call("a"), { name: "ToolError", kind: "overloaded" });
  assert.ok(requests.length > 1);
  assert.equal(new Set(ids(requests)).size, 1);
});

test("a call that runs long is asked for again until the wait is over", async (t) => {
  const { url, requests } = await serve(t, pend("running"), pend("running"), succeed);
  const { result } = await new Helve({ url }).call("slow", { n: 1 });
  assert.deepEqual(result, { n: 1 });
  assert.deepEqual(requests.map(({ json }) => json.wait_ms), [1000, 2000, 4000]);

  const short = await serve(t, pend("running"));
  const answer = await new Helve({ url: short.url }).execute({ calls: [{ tool: "slow" }], wait_ms: 0 });
  assert.equal(answer.results[0].status, "pending");
  assert.deepEqual(short.requests.map(({ json }) => json.wait_ms), [0]);
});

test("a message is sent again as a whole, with the same prefix", async (t) => {
  const answered = json({ trace_id: "0".repeat(31) + "1", results: [], messages: [{ role: "tool" }] });
  const { url, requests } = await serve(t, cut, answered);
  const { messages } = await new Helve({ url }).execute({ format: "openai", message: { role: "assistant" } });
  assert.deepEqual(messages, [{ role: "tool" }]);
  assert.ok(requests[0].json.call_id_prefix);
  assert.equal(requests[0].json.call_id_prefix, requests[1].json.call_id_prefix);
});

test("with retryFor 0 nothing is sent a second time", async (t) => {
  const { url, requests } = await serve(t, cut);
  await assert.rejects(new Helve({ url, retryFor: 0 }).call("a"), (err) => err instanceof RequestError && err.unreachable && err.temporary);
  assert.equal(requests.length, 1);
});

test("a server that stays away for longer than retryFor fails the request", async (t) => {
  const { url, requests } = await serve(t, problem(503, "unavailable"));
  await assert.rejects(new Helve({ url, retryFor: 250 }).tools.list(), { name: "RequestError", type: "unavailable", status: 503 });
  assert.ok(requests.length > 1);
});

test("an error that remains is not sent again", async (t) => {
  for (const [status, type] of [[400, "bad_request"], [403, "forbidden"], [404, "not_found"], [409, "conflict"], [429, "rate_limited"]]) {
    const { url, requests } = await serve(t, problem(status, type));
    await assert.rejects(new Helve({ url }).tools.list(), { type, status });
    assert.equal(requests.length, 1, type);
  }
});

test("a foreign server's answer is not asked for again", async (t) => {
  const { url, requests } = await serve(t, (_, response) => response.end("<html>"));
  await assert.rejects(new Helve({ url }).call("a"), { type: "unavailable", temporary: false });
  assert.equal(requests.length, 1);
});

test("a server that does not answer is given up after the wait and a margin", async (t) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
  const waits = [];
  const fetch = (_, { body, signal }) => {
    waits.push(JSON.parse(body).wait_ms);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setImmediate(() => {
        mock.timers.tick(2_999); // the wait of 1 s and a margin of 2 s
        assert.equal(signal.aborted, false);
        mock.timers.tick(1);
      });
    });
  };
  const call = new Helve({ url: "http://127.0.0.1:1", fetch, retryFor: 0 }).call("a");
  await assert.rejects(call, { name: "RequestError", unreachable: true, message: /no answer in time/ });
  assert.deepEqual(waits, [1000]);
});
