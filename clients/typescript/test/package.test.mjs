// The package as it is published: packed, installed in an empty project, used and compiled there;
// and the examples.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { provider } from "./provider.mjs";
import { server as helve } from "./system.mjs";

const root = join(import.meta.dirname, "..");
const first = "15% of 80 is 12\nqueued write_file\nstarted write_file\ndone write_file\nHello from a tool.\nThe file is missing.\n";
let project, models;

before(async () => {
  project = mkdtempSync(join(tmpdir(), "helve-package-"));
  models = await provider();
});

after(() => {
  models?.server.close();
  rmSync(project, { recursive: true, force: true });
});

/** run runs a program in a directory, with text for it to read, and returns its output. */
async function run(cwd, input, program, ...args) {
  const env = { ...process.env, HELVE_SERVER: helve, OPENAI_API_KEY: "a-key-of-this-test", OPENAI_BASE_URL: models.url, DENO_NO_UPDATE_CHECK: "1", DENO_DIR: join(project, "deno") };
  const running = promisify(execFile)(program, args, { cwd, env, timeout: 120_000 });
  running.child.stdin.end(input);
  return (await running).stdout;
}

test("the packed package in an empty project", async (t) => {
  const [{ filename, files, size }] = JSON.parse(await run(root, "", "npm", "pack", "--ignore-scripts", "--json", "--pack-destination", project));
  t.diagnostic(`${filename}: ${size} bytes`);
  assert.ok(files.every(({ path }) => /^(dist\/[\w-]+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(path)), files.map(({ path }) => path).join(" "));
  assert.ok(size < 100_000, `${size} bytes`);

  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
  await run(project, "", "npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", `./${filename}`);
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json")));
  assert.deepEqual(Object.keys(lock.packages), ["", "node_modules/@helve/client"], "it has no dependencies");
  cpSync(join(root, "out/examples/first.js"), join(project, "first.js"));
  assert.equal(await run(project, "", "node", "first.js"), first);

  const deno = join(root, "node_modules/@deno", readdirSync(join(root, "node_modules/@deno"))[0], "deno");
  const offline = ["--no-prompt", "--no-remote", "--cached-only", "--no-lock", "--node-modules-dir=manual", "--allow-net=127.0.0.1", "--allow-env"];
  assert.equal(await run(project, "", deno, "run", ...offline, "first.js"), first, "Deno");

  const adapters = 'for (const name of ["ai", "langchain", "openai-agents", "mastra"]) { const { helveTools } = await import("@helve/client/" + name); await helveTools({}).catch((err) => console.log(err.code)); }';
  assert.equal(await run(project, "", "node", "--input-type=module", "--eval", adapters), "ERR_MODULE_NOT_FOUND\n".repeat(4));

  // Its types need neither those of Node nor those of a framework.
  writeFileSync(join(project, "use.ts"), 'import { Helve } from "@helve/client";\nexport const sum: Promise<{ result: number }> = new Helve({ url: "/" }).call<number>("calculate");\n');
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--module", "NodeNext", "--target", "ES2022", "--lib", "ES2022,DOM,DOM.Iterable"];
  await run(project, "", join(root, "node_modules/.bin/tsc"), ...strict, "use.ts");
});

for (const [name, input, output] of [
  ["first", "", first],
  ["consent", "y\n", /May delete_file run\?[^]*old\.txt[^]*y\/n: \nIt is deleted\.\n$/],
  ["consent", "n\n", /permission_denied: /],
  ["chat", "", "[calculate: success]\nIt is 12.\n"],
  ["agents", "", "It is 12.\n"],
]) {
  test(`examples/${name}${input && ` with ${input.trim()}`}`, async () => {
    const got = await run(root, input, "node", `out/examples/${name}.js`);
    if (typeof output === "string") assert.equal(got, output);
    else assert.match(got, output);
  });
}
