// Each snippet of docs/clients.md prints what that page shows, on a running Helve.
// HELVE is its binary, REPOSITORY the project. page_test.go compares the snippets with the files.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { key, serve } from "./providers.mjs";

const program = process.env.HELVE ?? assert.fail("set HELVE to the binary that is to be tested");
const repository = process.env.REPOSITORY ?? assert.fail("set REPOSITORY to the project's directory");
const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HELVE|OPENAI|ANTHROPIC|GEMINI|GOOGLE)/.test(name)));
const [, section] = readFileSync(join(repository, "docs/clients.md"), "utf8").split("\n## The same tool, from everywhere\n");
const shown = [...section.split("\n## ")[0].matchAll(/^```console\n\$ (.*)\n([^]*?)^```$/gm)];

let system, models, data, env;

before(async () => {
  data = mkdtempSync(join(tmpdir(), "helve-everywhere-"));
  system = spawn(program, ["up", "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--data", data, "--log-level", "warn"], { env: clean, stdio: ["ignore", "pipe", "inherit"] });
  let ready;
  for await (const line of createInterface({ input: system.stdout })) {
    ready = line.match(/^ready http=(\S+) nats=(\S+)$/);
    if (ready) break;
  }
  assert.ok(ready, "helve up says where it listens");
  system.stdout.resume();
  models = await serve();
  const url = `http://127.0.0.1:${models.address().port}`;
  env = {
    ...clean, HELVE_SERVER: ready[1], NATS_URL: ready[2],
    OPENAI_API_KEY: key, OPENAI_BASE_URL: url + "/v1",
    ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url,
    GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url,
  };
}, { timeout: 60_000 });

after(async () => {
  models?.close();
  if (system.exitCode === null && system.kill("SIGTERM")) await once(system, "exit");
  rmSync(data, { recursive: true, force: true });
});

test("the page runs each snippet", () => {
  assert.deepEqual(shown.map(([, command]) => command), [
    "node openai.mjs", "node anthropic.mjs", "node gemini.mjs", "node mcp.mjs", "sh curl.sh", "node nats.mjs", "go run ./go",
  ]);
});

for (const [, command, output] of shown) {
  test(command, { timeout: 120_000 }, async (t) => {
    const [name, ...args] = command.split(" ");
    // Go wants its module around it; npm has installed into a copy, where this test lies.
    const cwd = name === "go" ? join(repository, "examples/everywhere") : import.meta.dirname;
    const { stdout } = await promisify(execFile)(name, args, { cwd, env, signal: t.signal });
    assert.equal(stdout, output);
  });
}
