import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { Helve, HelveError, PendingError, RequestError, ToolError } from "@helve/client";

import { hang, json, pend, problem, serve, succeed } from "./serve.mjs";

test("a failed call is a ToolError of its kind, with the result", async (t) => {
  const failed = ({ json: { calls: [call] } }, response) =>
    json({ trace_id: "", results: [{ ...call, status: "error", error_type: "file_not_found", message: "File 'x' not found.", duration_ms: 1 }] })(undefined, response);
  const { url } = await serve(t, failed);
  await assert.rejects(new Helve({ url }).call("read_file", { path: "x" }), (err) => {
    assert.ok(err instanceof ToolError && err instanceof HelveError);
    assert.deepEqual([err.name, err.kind, err.message, err.result.tool], ["ToolError", "file_not_found", "File 'x' not found.", "read_file"]);
    return true;
  });
});

test("a call that is not done is a PendingError", async (t) => {
  const { url } = await serve(t, pend("awaiting_consent", { consent_id: "k1" }));
  await assert.rejects(new Helve({ url }).call("delete_file"), (err) => err instanceof PendingError && err.result.consent_id === "k1" && /k1/.test(err.message));
});

test("a failed request is a RequestError of its type", async (t) => {
  const { url } = await serve(t, problem(409, "conflict"));
  await assert.rejects(new Helve({ url }).consents.decide("k1", { decision: "grant" }), { name: "RequestError", type: "conflict", status: 409, message: "conflict: It failed; try it later.", detail: "It failed; try it later.", unreachable: false, temporary: false });
  const proxy = await serve(t, (_, response) => response.writeHead(413).end("<html>too large"));
  await assert.rejects(new Helve({ url: proxy.url }).tools.list(), { type: "too_large", status: 413, message: /^too_large: http.*is it a Helve server/, detail: /^http.*is it a Helve server/ });
});

test("a server that is not there is unreachable", async () => {
  await assert.rejects(new Helve({ url: "http://127.0.0.1:1", retryFor: 0 }).tools.list(), { type: "unavailable", status: 0, unreachable: true, message: /cannot reach http:\/\/127.0.0.1:1: / });
});

test("names that would lead to another operation are refused", async (t) => {
  const { url, requests } = await serve(t, json({}));
  const helve = new Helve({ url });
  for (const attempt of [
    () => helve.files.get("../agents/a"), () => helve.files.delete("a/../../grants/g"), () => helve.files.put("./x", ""), () => helve.files.list(".."), () => helve.files.get("dir/"),
    () => helve.consents.get(".."), () => helve.consents.decide("a/b", { decision: "deny" }), () => helve.calls.get("../tools"), () => helve.calls.cancel("a?b"),
    () => helve.tools.get("."), () => helve.request("get", "/v1/agents/{agent}", { path: { agent: ".." } }),
  ]) await assert.rejects(attempt, ({ name, type, message, detail }) => name === "RequestError" && type === "bad_request" && message === detail);
  assert.equal(requests.length, 0);
  await helve.files.delete("notes/a b#?%2e.txt");
  await helve.request("get", "/v1/agents/{agent}", { path: { agent: "a/b" } });
  assert.deepEqual(requests.map((r) => r.url), ["/v1/files/notes/a%20b%23%3F%252e.txt", "/v1/agents/a%2Fb"]);
});

test("a large result that is damaged or too large is refused", async (t) => {
  const refer = (size, sha256) => ({ json: { trace_id, calls: [call] } }, response) => json({ trace_id, results: [{ ...call, status: "success", result_ref: { object: "o", size, sha256 }, duration_ms: 1 }] })(undefined, response);
  const hash = createHash("sha256").update("[1]").digest("hex");
  const bytes = (text) => (_, response) => response.end(text);
  const whole = await serve(t, refer(3, hash), bytes("[1]"));
  const { call_id, result } = await new Helve({ url: whole.url }).call("a");
  assert.deepEqual([result, whole.requests[1].url], [[1], `/v1/calls/${call_id}/result`]);
  for (const [size, text] of [[3, "[2]"], [3, "[1"], [4, "[1]"]]) {
    const { url } = await serve(t, refer(size, hash), bytes(text));
    await assert.rejects(new Helve({ url }).call("a"), { name: "RequestError", temporary: false, message: /damaged/ });
  }
  const { url, requests } = await serve(t, refer(2 ** 40, hash), bytes("[1]"));
  await assert.rejects(new Helve({ url }).call("a"), { type: "too_large" });
  assert.equal(requests.length, 1);
});

test("an address that cannot be used is refused, without its password", () => {
  for (const url of ["nats://x", "no url", "http://h/?a=b", "http://h/#a", "http://me:secret@h"]) {
    assert.throws(() => new Helve({ url }), (err) => err instanceof RequestError && !err.message.includes("secret"), url);
  }
  assert.throws(() => new Helve({ url: "http://h", token: "two words" }), (err) => err instanceof RequestError && !err.message.includes("two words"));
});

test("an address may have a path", async (t) => {
  const { url, requests } = await serve(t, json({ tools: [], load_errors: [] }));
  await new Helve({ url: `${url}/helve/`, context: { user: "ann" } }).tools.list({ q: "a b" });
  assert.equal(requests[0].url, "/helve/v1/tools?user=ann&q=a+b");
});

test("a token that the server refuses is requested again once", async (t) => {
  const { url, requests } = await serve(t, problem(401, "unauthenticated"), json({ tools: [], load_errors: [] }), problem(401, "unauthenticated"));
  const asked = [];
  const helve = new Helve({ url, tenant: "acme", token: async (refresh) => (asked.push(refresh), refresh ? "new" : "old") });
  await helve.tools.list();
  assert.deepEqual(requests.map(({ headers }) => [headers.authorization, headers["helve-tenant"]]), [["Bearer old", "acme"], ["Bearer new", "acme"]]);
  await assert.rejects(helve.tools.list(), { type: "unauthenticated" });
  assert.deepEqual(asked, [false, true, false, true]);
});

test("an aborted signal rejects with its reason, wherever the request is", async (t) => {
  const { url } = await serve(t, hang);
  const away = new Helve({ url: "http://127.0.0.1:1", retryFor: Infinity });
  const helve = new Helve({ url });
  for (const [name, start] of Object.entries({
    call: (signal) => helve.call("a", {}, { signal }),
    list: (signal) => helve.tools.list({ signal }),
    wait: (signal) => helve.consents.wait("k1", { signal }),
    get: (signal) => helve.files.get("a", { signal }),
    put: (signal) => helve.files.put("a", "text", { signal }),
    events: (signal) => helve.events("0".repeat(31) + "1", { signal }).next(),
    watch: (signal) => helve.consents.watch({ signal }).next(),
    retry: (signal) => away.call("a", {}, { signal }),
    before: () => helve.call("a", {}, { signal: AbortSignal.abort(new Error("enough")) }),
  })) {
    const controller = new AbortController();
    const pending = start(controller.signal);
    setImmediate(() => controller.abort(new Error("enough")));
    await assert.rejects(pending, { message: "enough" }, name);
  }
});

test("a signal that aborts after the answer has no effect, and is not kept", async (t) => {
  const { url } = await serve(t, succeed);
  const controller = new AbortController();
  const added = t.mock.method(controller.signal, "addEventListener"), removed = t.mock.method(controller.signal, "removeEventListener");
  await new Helve({ url }).call("a", {}, { signal: controller.signal });
  assert.ok(added.mock.callCount() > 0);
  assert.equal(removed.mock.callCount(), added.mock.callCount());
  controller.abort();
});
