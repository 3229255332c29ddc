// The client while its server ends and starts again.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { Helve, newTraceId } from "@helve/client";

const program = process.env.HELVE ?? assert.fail("set HELVE to the binary that is to be tested");
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HELVE")));

/** up starts a Helve and returns it once it is ready, with its addresses. */
async function up(data, http = "127.0.0.1:0", nats = "127.0.0.1:0") {
  const system = spawn(program, ["up", "--data", data, "--http", http, "--nats", nats, "--diagnostics", "--log-level", "error"], { env, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: system.stdout })) {
    const [, http, nats] = line.match(/^ready http=http:\/\/(\S+) nats=nats:\/\/(\S+)$/) ?? [];
    if (http) return { system, http, nats };
  }
  assert.fail("helve up ended before it was ready");
}

async function kill(system) {
  if (system.exitCode === null && system.signalCode === null && system.kill("SIGKILL")) await once(system, "exit");
}

test("a server that is killed during a call, a wait for a person and a stream of events", { timeout: 120_000 }, async (t) => {
  const data = mkdtempSync(join(tmpdir(), "helve-client-"));
  let { system, http, nats } = await up(data);
  t.after(async () => {
    await kill(system);
    rmSync(data, { recursive: true, force: true });
  });
  const helve = new Helve({ url: `http://${http}`, context: { user: "ann" } });

  const trace_id = newTraceId();
  const types = [];
  let heard;
  const queued = new Promise((resolve) => (heard = resolve));
  const stream = (async () => {
    for await (const event of helve.events(trace_id)) {
      types.push(event.type);
      if (event.type === "awaiting_consent") heard();
      if (event.type === "done") return;
    }
  })();
  let asked;
  const consent = new Promise((resolve) => (asked = resolve));
  const call = helve.call("debug.guarded", { key: "k" }, { trace_id, consent: "wait", wait_ms: Infinity, onConsent: ({ consent_id }) => asked(consent_id) });
  const consent_id = await consent;
  await queued;

  await kill(system);
  const list = helve.tools.list({ group: "core" }); // sent to a server that is away
  ({ system } = await up(data, http, nats));
  assert.ok((await list).length > 0);
  await helve.consents.decide(consent_id, { decision: "grant" });
  assert.deepEqual((await call).result, { written: true });
  await stream;
  assert.equal(types.filter((type) => type === "done").length, 1);
  const ledger = await (await helve.files.get("ledger.txt")).text();
  assert.equal(ledger.trim().split("\n").length, 1);
});
