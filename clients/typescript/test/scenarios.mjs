// What every adapter promises, run with an agent of its framework on a running Helve.
import assert from "node:assert/strict";
import { test } from "node:test";

import { newCallId } from "@helve/client";

import { decide, person } from "./system.mjs";

/**
 * scenarios tests an adapter. run makes an agent with the tools of a client, whose model calls a
 * tool once and then ends, and returns the content that the model was shown and whether the
 * framework marked it as an error.
 *
 * @param {(helve: import("@helve/client").Helve, options: object, call: { id: string, name: string, args: object }, signal?: AbortSignal) => Promise<{ content: string, error?: boolean }>} run
 */
export function scenarios(run, { marksErrors }) {
  const diagnostics = { group: "diagnostics" };

  test("the model asks for a tool, Helve runs it, and the model gets the result", async () => {
    const results = [];
    const { content, error } = await run(person(), { group: "core", onResult: (result) => results.push(result) }, { id: "call_1", name: "calculate", args: { expression: "6*7" } });
    assert.deepEqual([JSON.parse(content).status, JSON.parse(content).result.result, Boolean(error)], ["success", 42, false]);
    assert.deepEqual(results.map((r) => [r.tool, r.tool_call_id, r.status]), [["calculate", "call_1", "success"]]);
  });

  test("a model is shown the text of a result that has one, and its notes", async () => {
    const helve = person();
    await helve.files.put("notes.txt", "milk\n");
    const { content } = await run(helve, { group: "filesystem" }, { id: "call_1", name: "read_file", args: { path: "notes.txt", colour: "red" } });
    const { result, notes } = JSON.parse(content);
    assert.match(result, /milk/);
    assert.match(notes[0], /colour/);
  });

  test("a failed call is shown to the model, which can go on", async () => {
    const { content, error } = await run(person(), diagnostics, { id: "call_1", name: "debug_fail", args: { how: "error", kind: "not_found", message: "It is gone; list them." } });
    assert.match(content, /It is gone; list them\./);
    assert.equal(Boolean(error), marksErrors);
  });

  test("a call waits for a person and runs when granted", async () => {
    const helve = person();
    const told = [];
    const agent = run(helve, { ...diagnostics, onConsent: ({ tool, consent_id }) => told.push([tool, consent_id]) }, { id: "call_1", name: "debug_guarded", args: { key: "k" } });
    const { consent_id } = await decide(helve);
    assert.deepEqual(JSON.parse((await agent).content).result, { written: true });
    assert.deepEqual(told, [["debug.guarded", consent_id]]);
  });

  test("a call that a person denies is a failed call", async () => {
    const helve = person();
    const [{ content }] = await Promise.all([run(helve, diagnostics, { id: "call_1", name: "debug_guarded", args: { key: "k" } }), decide(helve, "deny")]);
    assert.match(content, /said no/);
  });

  test("with a prefix a repeated step does not run its call again", async () => {
    const helve = person();
    const callIdPrefix = newCallId();
    for (const [key, id] of Object.entries({ one: "call 1 of €", two: "call_2" })) {
      const again = () => run(helve, { ...diagnostics, callIdPrefix }, { id, name: "debug_effect", args: { key } });
      await again();
      await again();
    }
    const ledger = await (await helve.files.get("ledger.txt")).text();
    assert.equal(ledger.trim().split("\n").length, 2);
  });

  test("a call that does not end in time is shown to the model as pending", async () => {
    const { content } = await run(person(), { ...diagnostics, wait_ms: 0 }, { id: "call_1", name: "debug_guarded", args: { key: "k" } });
    assert.match(content, /is queued|is still running|waits for the consent|a person must approve it first/);
  });

  test("an agent that is aborted stops waiting, and its call is cancelled", async () => {
    const controller = new AbortController();
    const helve = person();
    let waiting;
    const onConsent = ({ consent_id }) => {
      waiting = helve.consents.wait(consent_id, { signal: AbortSignal.timeout(60_000) });
      controller.abort(new Error("enough"));
    };
    const agent = run(helve, { ...diagnostics, onConsent }, { id: "call_1", name: "debug_guarded", args: { key: "k" } }, controller.signal);
    await assert.rejects(agent);
    assert.equal((await waiting).status, "cancelled");
  });
}
