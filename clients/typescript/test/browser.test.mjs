// The client in Chromium. A server with the page passes requests to Helve, which serves pages of
// its own origin only.
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
    const helve = new Helve({ url: "/", context: { user: "browser" } });
    const trace_id = newTraceId();
    const types = [];
    const call = helve.call("debug.guarded", { key: "k" }, {
      trace_id, consent: "wait", wait_ms: Infinity, onConsent: ({ consent_id }) => helve.consents.decide(consent_id, { decision: "grant" }),
    });
    for await (const { type } of helve.events(trace_id)) {
      types.push(type);
      if (type === "done") break;
    }
    const { result } = await call;
    await helve.files.put("page.txt", new Blob(["from a page"]));
    const file = await (await helve.files.get("page.txt")).text();
    const { kind } = await helve.call("read_file", { path: "missing" }).catch((err) => err);
    await report({ result, types, file, kind });
  } catch (err) {
    await report(String(err.stack));
  }
</script>`;

test("calls, events, consent and files in a page", { timeout: 120_000 }, async (t) => {
  let report;
  const reported = new Promise((resolve) => (report = resolve));
  const server = createServer(async (request, response) => {
    if (request.url === "/") return response.setHeader("Content-Type", "text/html").end(page);
    if (request.url === "/reported") return report(JSON.parse(await text(request))), response.end();
    if (request.url.startsWith("/dist/")) {
      return response.setHeader("Content-Type", "text/javascript").end(readFileSync(join(import.meta.dirname, "../dist", basename(request.url))));
    }
    const { origin, host, referer, ...headers } = request.headers;
    const passed = send(helve + request.url, { method: request.method, headers }, (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers)));
    response.on("close", () => passed.destroy());
    request.pipe(passed.on("error", () => response.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const profile = mkdtempSync(join(tmpdir(), "helve-browser-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const only = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", `--user-data-dir=${profile}`];
  const browser = spawn("chromium", [...flags, ...only, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore", detached: true });
  const ended = once(browser, "exit");
  t.after(async () => {
    process.kill(-browser.pid, "SIGKILL");
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  });
  const got = await Promise.race([reported, ended.then(([code]) => assert.fail(`chromium ended with ${code}`))]);
  assert.deepEqual({ ...got, types: got.types?.at(-1) }, { result: { written: true }, types: "done", file: "from a page", kind: "file_not_found" });
});
