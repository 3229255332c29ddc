// The client in Chromium. A server with the page passes requests below /helve/ to Helve, as that of
// an application does: it knows the person by a cookie that no script reads, takes requests with
// the header of its own pages only, and loses the first stream of events.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as send } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";

import { server as helve } from "./system.mjs";

const page = `<!doctype html><script type="module">
  const report = (body) => fetch("/reported", { method: "POST", body: JSON.stringify(body) });
  try {
    const { Helve, newTraceId } = await import("/dist/index.js");
    let refused = 0;
    const ask = (header) => async (input, init) => {
      const headers = new Headers(init.headers);
      if (header) headers.set("X-Page", header);
      const response = await fetch(input, { ...init, headers });
      if (response.status === 401) refused++;
      return response;
    };
    const context = { user: "browser" };
    const helve = new Helve({ url: "helve", context, fetch: ask("chat") });
    const stranger = await new Helve({ url: "helve", context, fetch: ask() }).tools.list().catch((err) => err);
    const trace_id = newTraceId();
    const types = [], ids = [];
    const call = helve.call("debug.guarded", { key: "k" }, {
      trace_id, consent: "wait", wait_ms: Infinity, onConsent: ({ consent_id }) => helve.consents.decide(consent_id, { decision: "grant" }),
    });
    for await (const { id, type } of helve.events(trace_id)) {
      types.push(type);
      ids.push(id);
      if (type === "done") break;
    }
    const { result } = await call;
    await helve.files.put("page.txt", new Blob(["from a page"]));
    const file = await (await helve.files.get("page.txt")).text();
    const { kind } = await helve.call("read_file", { path: "missing" }).catch((err) => err);
    await report({ result, types, again: ids.length - new Set(ids).size, file, kind, refused, stranger: stranger.type });
  } catch (err) {
    await report(String(err.stack));
  }
</script>`;

/** firstOf passes the first event of a stream on, and ends it there. */
async function firstOf(stream, response) {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const [first] = /^[^]*?data:.*\n\n/.exec((text += chunk)) ?? [];
    if (first) return response.end(first);
  }
}

test("calls, events, consent and files in a page", { timeout: 120_000 }, async (t) => {
  let report;
  const streams = [];
  const reported = new Promise((resolve) => (report = resolve));
  const server = createServer(async (request, response) => {
    if (request.url === "/app/") return response.setHeader("Set-Cookie", "session=ann; Path=/; HttpOnly; SameSite=Strict").setHeader("Content-Type", "text/html").end(page);
    if (request.url === "/reported") return report(JSON.parse(await text(request))), response.end();
    if (request.url.startsWith("/dist/")) {
      return response.setHeader("Content-Type", "text/javascript").end(readFileSync(join(import.meta.dirname, "../dist", basename(request.url))));
    }
    const { origin, host, referer, cookie, "x-page": own, ...headers } = request.headers;
    if (cookie !== "session=ann" || own !== "chat") return response.writeHead(401).end();
    const path = request.url.slice("/app/helve".length);
    const passed = send(helve + path, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      const lost = path.startsWith("/v1/events") && streams.push(headers["last-event-id"]) === 1;
      if (lost) firstOf(answer, response);
      else answer.pipe(response);
    });
    response.on("close", () => passed.destroy());
    request.pipe(passed.on("error", () => response.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const profile = mkdtempSync(join(tmpdir(), "helve-browser-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const only = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", `--user-data-dir=${profile}`];
  const browser = spawn("chromium", [...flags, ...only, `http://127.0.0.1:${server.address().port}/app/`], { stdio: "ignore", detached: true });
  const ended = once(browser, "exit");
  t.after(async () => {
    process.kill(-browser.pid, "SIGKILL");
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  });
  const got = await Promise.race([reported, ended.then(([code]) => assert.fail(`chromium ended with ${code}`))]);
  assert.deepEqual({ ...got, types: got.types?.at(-1) }, { result: { written: true }, types: "done", again: 0, file: "from a page", kind: "file_not_found", refused: 1, stranger: "unauthenticated" });
  assert.equal(streams[0], undefined);
  assert.match(streams[1] ?? "", /./, "the second stream begins after the last event of the first");
});
