// The official TypeScript clients of MCP, of both generations and over both transports,
// against a running Helve. HELVE is its binary.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";

import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as LegacyHTTP } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const program = process.env.HELVE ?? assert.fail("set HELVE to the binary that is to be tested");
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HELVE")));
let url, system, data;

// Tools that others wrote, as a script and as tools of an MCP server: their schemas are what
// generators write, and a client that cannot read one refuses the whole list.
const odd = { type: "object", properties: { v: true, never: false, list: { type: "array" }, deep: { type: "object", properties: { w: true } } }, required: ["v"] };
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const answers = {
  keep: { content: [{ type: "text", text: "listed 2 items" }], structuredContent: { items: ["one", "two"] } },
  draw: { content: [{ type: "text", text: "a dot" }, { type: "image", mimeType: "image/png", data: pixel, annotations: { priority: 1 } }] },
  wrong: { content: [{ type: "text", text: "n" }], structuredContent: { n: "text" } },
};
const server = `
const answers = ${JSON.stringify(answers)}, odd = ${JSON.stringify(odd)};
const output = { wrong: { type: "object", properties: { n: { type: "integer" }, any: true }, required: ["n"] } };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } },
    "tools/list": { tools: Object.keys(answers).map((name) => ({ name, description: name, inputSchema: odd, outputSchema: output[name] })) },
    "tools/call": answers[params?.name],
  };
  const result = results[method];
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error: { code: -32601, message: "no" } }) }));
});`;

function oddTools() {
  const tools = join(data, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "anyv.json"), JSON.stringify({ name: "anyv", description: "Returns what it gets.", parameters: odd, mutates: false, idempotent: true, timeout_seconds: 5 }));
  writeFileSync(join(tools, "anyv.js"), "function execute(params) { return params; }\n");
  writeFileSync(join(data, "server.cjs"), server);
  const settings = { command: process.execPath, args: [join(data, "server.cjs")], risk: "low", mutates: false };
  writeFileSync(join(data, "mcp.json"), JSON.stringify({ servers: { odd: settings } }));
  return ["--tools", tools, "--mcp", join(data, "mcp.json")];
}

before(async () => {
  data = mkdtempSync(join(tmpdir(), "helve-mcp-"));
  system = spawn(program, ["up", "--http", "127.0.0.1:0", "--nats", "127.0.0.1:0", "--data", data, "--diagnostics", ...oddTools()], { env, stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface({ input: system.stdout })) {
    url = line.match(/http:\/\/[0-9.]+:[0-9]+/)?.[0];
    if (url) break;
  }
  assert.ok(url, "helve up says where it listens");
  system.stdout.resume();
}, { timeout: 60_000 });

after(async () => {
  const ended = new Promise((resolve) => system.once("exit", resolve));
  system.kill("SIGTERM");
  await ended;
  rmSync(data, { recursive: true, force: true });
});

// Each makes a connected client whose person says yes to all that is asked, and counts it.
const info = { name: "helve-test", version: "1" };
const accepted = { action: "accept", content: { remember: "once" } };
const said = ({ params }) => (params.message === "Go on?" ? { action: "accept", content: { answer: true } } : accepted);
const headers = (user) => ({ requestInit: { headers: { "Helve-User": user } } });
const stdio = (user) => ({ command: program, args: ["mcp", "--server", url, "--user", user], env });

async function modernClient(transport, pin) {
  const client = new modern.Client(info, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: pin ? { pin } : "auto" } });
  const seen = { asked: 0 };
  client.setRequestHandler("elicitation/create", async (request) => (seen.asked++, said(request)));
  await client.connect(transport);
  return [client, seen];
}

async function legacyClient(transport) {
  const client = new LegacyClient(info, { capabilities: { elicitation: { form: {} } } });
  const seen = { asked: 0 };
  client.setRequestHandler(ElicitRequestSchema, async (request) => (seen.asked++, said(request)));
  await client.connect(transport);
  return [client, seen];
}

// until looks until there is something to see.
async function until(look) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const seen = await look();
    if (seen) return seen;
  }
  assert.fail("waited in vain");
}

const mcp = () => new URL("/mcp", url);
// asks says whether the client can be asked in the middle of a call.
const clients = {
  "v2 over HTTP": { connect: (user) => modernClient(new modern.StreamableHTTPClientTransport(mcp(), headers(user)), "2026-07-28"), asks: true },
  "v2 over stdio": { connect: (user) => modernClient(new ModernStdio(stdio(user)), "2026-07-28"), asks: true },
  "v2, what it agrees on over HTTP": { connect: (user) => modernClient(new modern.StreamableHTTPClientTransport(mcp(), headers(user))), asks: true },
  "v1 over HTTP": { connect: (user) => legacyClient(new LegacyHTTP(mcp(), headers(user))), asks: false },
  "v1 over stdio": { connect: (user) => legacyClient(new LegacyStdio(stdio(user))), asks: true },
};

for (const [i, [name, { connect, asks }]] of Object.entries(clients).entries()) {
  describe(name, { timeout: 120_000 }, () => {
    const user = "u" + i;
    let client, seen;
    before(async () => ([client, seen] = await connect(user)));
    after(() => client.close());

    test("lists every tool, page by page, with schemas that the client can read", async () => {
      const tools = [];
      let cursor;
      do {
        const page = await client.listTools(cursor ? { cursor } : {});
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor);
      assert.ok(tools.length >= 90, `${tools.length} tools`);
      const read = tools.find((t) => t.name === "read_file");
      assert.equal(read.annotations.readOnlyHint, true);
      assert.equal(read.inputSchema.type, "object");
      assert.deepEqual(tools.map((t) => t.name), tools.map((t) => t.name).sort());
      for (const name of ["anyv", "odd_keep", "odd_draw", "odd_wrong"]) {
        assert.ok(tools.find((t) => t.name === name), `${name} is not listed`);
      }
    });

    test("is sent images and structured content as they are, and told of a result that breaks its schema", async () => {
      const kept = await client.callTool({ name: "odd_keep", arguments: { v: 1 } });
      assert.deepEqual(kept.structuredContent, answers.keep.structuredContent);
      assert.equal(kept.content[0].text, "listed 2 items");
      const drawn = await client.callTool({ name: "odd_draw", arguments: { v: 1 } });
      assert.deepEqual(drawn.content.slice(0, 2), answers.draw.content);
      assert.match(drawn.content[2].text, /comes from outside/);
      const wrong = await client.callTool({ name: "odd_wrong", arguments: { v: 1 } });
      assert.equal(wrong.isError, true);
      assert.match(wrong.content[0].text, /output schema/);
    });

    test("reads the file that a link names, and nobody else's", async () => {
      const res = await client.callTool({ name: "write_file", arguments: { path: "a b.txt", content: user } });
      const link = res.content.find((c) => c.type === "resource_link");
      const read = await client.readResource({ uri: link.uri });
      assert.equal(read.contents[0].text, user);
    });

    // Clients of one generation refuse to ask, those of the other answer for the server.
    test("sees no prompts where the server declares none", async () => {
      const said = await client.listPrompts().catch((error) => error);
      assert.ok(said instanceof Error ? /prompts/.test(said.message) : said.prompts.length === 0, String(said));
    });

    test("calls a tool with structured content, which the client holds to its schema", async () => {
      const res = await client.callTool({ name: "calculate", arguments: { expression: "6*7" } });
      assert.equal(res.structuredContent.result, 42);
      assert.equal(res.content[0].text, '{"expression":"6*7","result":42,"formatted":"42"}');
    });

    test("is told what is wrong", async () => {
      const res = await client.callTool({ name: "calculate", arguments: { expresion: "1" } });
      assert.equal(res.isError, true);
      assert.match(res.content[0].text, /did you mean 'expression'/);
      await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /not found/);
    });

    test("consent: " + (asks ? "the person is asked" : "the client is told what waits"), async () => {
      const res = await client.callTool({ name: "debug.guarded", arguments: { key: user } });
      if (asks) {
        assert.equal(seen.asked, 1);
        assert.match(res.content[0].text, /"written":true/);
      } else {
        assert.equal(res.isError, true);
        assert.match(res.content[0].text, /consent [0-9a-zA-Z_-]+ must be granted/);
      }
    });

    test("is told the steps of a program" + (asks ? ", and its person is asked what it asks" : ""), async () => {
      const code = `await tools.debug.echo({ value: 1 }); program.log("half done"); await tools.debug.echo({ value: 2 });
        return ${asks ? 'await program.ask("Go on?", { type: "boolean" }) ? "went on" : "stopped"' : '"went on"'}`;
      const told = [], before = seen.asked;
      const options = { onprogress: ({ progress, message }) => told.push([progress, message]) };
      const call = { name: "run_program", arguments: { code } };
      const res = await (name.startsWith("v1") ? client.callTool(call, undefined, options) : client.callTool(call, options));
      assert.equal(res.content[0].text, "went on");
      assert.equal(seen.asked - before, asks ? 1 : 0);
      await until(() => told.length >= 3);
      assert.deepEqual(told.slice(0, 3), [[1, "debug.echo"], [1.5, "half done"], [2, "half done"]]);
    });

    test("a call that is given up ends", async () => {
      const stop = new AbortController();
      const call = { name: "debug.effect", arguments: { key: "k", before_ms: 600_000 } };
      const options = { signal: stop.signal };
      const running = name.startsWith("v1") ? client.callTool(call, undefined, options) : client.callTool(call, options);
      const started = async () => (await (await fetch(`${url}/v1/audit?user=${user}&tool=debug.effect&phase=started`)).json()).records;
      const id = await until(async () => (await started())[0]?.call_id);
      stop.abort();
      await assert.rejects(running);
      const ended = await until(async () => {
        const state = await (await fetch(`${url}/v1/calls/${id}`)).json();
        return state.state === "done" && state;
      });
      assert.match(ended.error_type, /^(cancelled|outcome_unknown)$/);
    });
  });
}
