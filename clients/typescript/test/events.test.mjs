import assert from "node:assert/strict";
import { test } from "node:test";

import { Helve } from "@helve/client";

import { messages } from "../dist/sse.js";
import { problem, serve } from "./serve.mjs";

const trace = "0123456789abcdef0123456789abcdef";
const event = (n, type = "progress") => ({ id: `${n}`, type, time: "2026-01-01T00:00:00Z", trace_id: trace, call_id: "c", tool: "t", data: { n, text: "ä€😀" } });
const frame = (n, end = "\n") => [`id: ${n}`, "event: progress", `data: ${JSON.stringify(event(n))}`, "", ""].join(end);

/** stream answers with pieces of a stream of events, each in a chunk of its own, and ends it if told to. */
function stream(pieces, end = true) {
  return async (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
    for (const piece of pieces) await new Promise((resolve) => response.write(piece, () => setImmediate(resolve)));
    if (end) response.end();
  };
}

/** take returns the numbers of the first events. */
async function take(events, most) {
  const taken = [];
  for await (const { data } of events) {
    assert.equal(data.text, "ä€😀");
    taken.push(data.n);
    if (taken.length === most) break;
  }
  return taken;
}

test("a stream is parsed wherever its chunks begin and end", async (t) => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const bytes = Buffer.from(`\uFEFF: comment${end}${end}retry: 5${end}${frame(1, end)}: keep-alive${end}${end}${frame(2, end)}${frame(3, end)}`);
    for (const size of [1, 7, bytes.length]) {
      const pieces = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
      const { url } = await serve(t, stream(pieces, false));
      assert.deepEqual(await take(new Helve({ url }).events(trace), 3), [1, 2, 3], JSON.stringify({ end, size }));
    }
  }
});

test("data of several lines is joined, and a field without a colon or space is read", async (t) => {
  const lines = JSON.stringify(event(1), undefined, 1).split("\n");
  for (const end of ["\n", "\r\n"]) {
    const text = `id:1${end}data${end}${lines.map((line) => `data:${line}`).join(end)}${end}unknown: x${end}${end}`;
    const { url } = await serve(t, stream([...Buffer.from(text)].map((byte) => Buffer.of(byte)), false));
    for await (const { id, data } of new Helve({ url }).events(trace)) {
      assert.deepEqual([id, data.n], ["1", 1]);
      break;
    }
  }
});

test("a stream that ends is opened again after its last event", async (t) => {
  const cutInside = stream([frame(1), frame(2), frame(3).slice(0, 40)]);
  const { url, requests } = await serve(t, cutInside, problem(503, "unavailable"), stream([frame(3)], false));
  assert.deepEqual(await take(new Helve({ url }).events(trace, { after: "0" }), 3), [1, 2, 3]);
  assert.deepEqual(requests.map(({ headers }) => headers["last-event-id"]), ["0", "2", "2"]);
  assert.equal(requests[0].url, `/v1/events?trace_id=${trace}`);
});

test("a stream that is silent for three keep-alives is opened again", async (t) => {
  const { url, requests } = await serve(t, stream([frame(1)], false), stream([frame(2)], false));
  const original = setTimeout;
  t.mock.method(globalThis, "setTimeout", (ring, ms) => original(ring, ms === 45_000 && requests.length === 1 ? 50 : ms));
  assert.deepEqual(await take(new Helve({ url }).events(trace), 2), [1, 2]);
});

test("an error that remains ends the events", async (t) => {
  const { url } = await serve(t, problem(403, "forbidden"));
  await assert.rejects(take(new Helve({ url }).events(trace), 1), { type: "forbidden" });
  const foreign = await serve(t, (_, response) => response.end("<html>"));
  await assert.rejects(take(new Helve({ url: foreign.url }).events(trace), 1), { temporary: false });
  const nonsense = await serve(t, stream(["data: <html>\n\n"], false));
  await assert.rejects(take(new Helve({ url: nonsense.url }).events(trace), 1), { temporary: false });
  await assert.rejects(take(new Helve({ url }).events("../calls"), 1), { type: "bad_request" });
});

test("a stream is closed when the reader stops, and when its signal aborts", async (t) => {
  let closed;
  const answer = (request, response) => {
    closed = new Promise((resolve) => response.on("close", resolve));
    return stream([frame(1)], false)(request, response);
  };
  const { url } = await serve(t, answer);
  await take(new Helve({ url }).events(trace), 1);
  await closed;

  const controller = new AbortController();
  const stopped = (async () => {
    for await (const _ of new Helve({ url }).events(trace, { signal: controller.signal })) controller.abort(new Error("enough"));
  })();
  await assert.rejects(stopped, { message: "enough" });
  await closed;
});

test("a reader that stops cancels its stream", async () => {
  let cancelled = false;
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(frame(1))), cancel: () => void (cancelled = true) });
  for await (const _ of messages(body)) break;
  assert.ok(cancelled);
});

test("an event without an end is not read into memory", async (t) => {
  const piece = "x".repeat(2 ** 20);
  const { url } = await serve(t, stream(["data: ", ...Array(20).fill(piece)]));
  await assert.rejects(take(new Helve({ url }).events(trace), 1), { temporary: false, message: /longer than/ });
});
