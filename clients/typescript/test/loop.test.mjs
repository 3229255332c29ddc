// The loop of a chat against a running Helve, with a model that calls tools and then repeats
// what it was told.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";

import { awaitsPerson, LimitError } from "@helve/client";

import { decide, person } from "./system.mjs";

// Of each provider: an answer that calls a tool, an answer of text, the tool results it was told, the tools it was offered.
const providers = {
  openai: {
    call: (name, args) => ({ choices: [{ finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }] } }], usage: { total_tokens: 10 } }),
    say: (content) => ({ choices: [{ finish_reason: "stop", message: { role: "assistant", content } }], usage: { total_tokens: 10 } }),
    told: (messages) => JSON.parse(messages.at(-1).content),
    offered: (tools) => tools.map((tool) => tool.function.name),
  },
  openai_responses: {
    call: (name, args) => ({ output: [{ type: "reasoning", id: "r1", summary: [] }, { type: "function_call", call_id: "call_1", name, arguments: JSON.stringify(args) }], usage: { total_tokens: 10 } }),
    say: (text) => ({ output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }], usage: { total_tokens: 10 } }),
    told: (messages) => JSON.parse(messages.at(-1).output),
    offered: (tools) => tools.map((tool) => tool.name),
  },
  anthropic: {
    call: (name, input) => ({ role: "assistant", content: [{ type: "text", text: "" }, { type: "tool_use", id: "toolu_1", name, input }], stop_reason: "tool_use", usage: { input_tokens: 4, output_tokens: 6 } }),
    say: (text) => ({ role: "assistant", content: [{ type: "text", text }], stop_reason: "end_turn", usage: { input_tokens: 4, output_tokens: 6 } }),
    told: (messages) => JSON.parse(messages.at(-1).content[0].content),
    offered: (tools) => tools.map((tool) => tool.name),
  },
  gemini: {
    call: (name, args) => ({ candidates: [{ content: { role: "model", parts: [{ functionCall: { name, args } }] }, finishReason: "STOP" }], usageMetadata: { totalTokenCount: 10 } }),
    say: (text) => ({ candidates: [{ content: { role: "model", parts: [{ text: "hm", thought: true }, { text }] }, finishReason: "STOP" }], usageMetadata: { totalTokenCount: 10 } }),
    told: (messages) => messages.at(-1).parts[0].functionResponse.response,
    offered: (tools) => tools.flatMap((tool) => tool.functionDeclarations).map((tool) => tool.name),
  },
};

/** model returns an ask function that calls a tool once and then says what came back. */
function model({ call, say, told, offered }, name, args) {
  return async ({ messages, tools }) => {
    assert.ok(offered(tools).includes(name));
    return messages.length === 1 ? call(name, args) : say(JSON.stringify(told(messages)));
  };
}

for (const [format, provider] of Object.entries(providers)) {
  test(`a loop with ${format}`, async () => {
    const pieces = [], states = [];
    const loop = person().loop({
      format, ask: model(provider, "calculate", { expression: "6*7" }), tools: { q: "calculate" },
      onText: (piece) => pieces.push(piece), save: (state) => void states.push(state),
    });
    const { text, state, refused, cutOff } = await loop.ask("What is 6*7?");
    assert.equal(JSON.parse(text).result.result, 42);
    assert.deepEqual([pieces, refused, cutOff, state.turn, state.rounds, state.tokens, state.message], [[text], false, false, 2, 2, 20, undefined]);
    assert.deepEqual(states.map((s) => [s.turn, s.message !== undefined]), [[1, true], [1, false], [2, false]]);

    // A process that ended before the results were stored continues, and nothing runs twice.
    const again = await loop.resume(JSON.parse(JSON.stringify(states[0])));
    assert.deepEqual(again.state, state);
  });
}

test("a loop returns the calls that wait for a person, and continues after the decision", async () => {
  const helve = person();
  const told = [];
  const loop = helve.loop({ format: "openai", ask: model(providers.openai, "debug_guarded", { key: "k" }), tools: { group: "diagnostics" }, onConsent: (call) => told.push(call.tool) });
  const { pending, state } = await loop.ask("Do it.");
  assert.deepEqual([pending[0].state, told], ["awaiting_consent", ["debug.guarded"]]);
  await assert.rejects(loop.ask("And this?", state), { type: "bad_request" });
  await helve.consents.decide(pending[0].consent_id, { decision: "grant" });
  const { text } = await loop.resume(state);
  assert.deepEqual(JSON.parse(text), { status: "success", result: { written: true } });
});

test("a loop that waits for a person", async () => {
  const helve = person();
  const loop = helve.loop({ format: "anthropic", ask: model(providers.anthropic, "debug_guarded", { key: "k" }), tools: { group: "diagnostics" }, consent: "wait" });
  const [{ text, pending }] = await Promise.all([loop.ask("Do it."), decide(helve, "deny")]);
  assert.equal(pending, undefined);
  assert.equal(JSON.parse(text).error_type, "permission_denied");
});

test("the bounds of a loop keep its state", async () => {
  const { call } = providers.openai;
  const endless = { format: "openai", ask: async () => call("debug_echo", { value: 1 }), tools: { group: "diagnostics" } };
  const helve = person();
  await assert.rejects(helve.loop({ ...endless, rounds: 2 }).ask("Go."), (err) => err instanceof LimitError && err.state.rounds === 2 && err.state.conversation.length === 5);
  await assert.rejects(helve.loop({ ...endless, tokens: 25 }).ask("Go."), (err) => err instanceof LimitError && err.state.tokens === 30);
  const hung = { ...endless, ask: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) };
  await assert.rejects(helve.loop({ ...hung, timeout: 50 }).ask("Go."), (err) => err instanceof LimitError && err.state.conversation.length === 1);
});

test("text that was streamed is not repeated, and a refusal makes no calls", async () => {
  const pieces = [];
  const streamed = { format: "openai", ask: async ({ text }) => (text("Hel"), text("lo"), providers.openai.say("Hello")), onText: (piece) => pieces.push(piece) };
  await person().loop(streamed).ask("Hi.");
  assert.deepEqual(pieces, ["Hel", "lo"]);
  const refusing = { format: "anthropic", ask: async () => ({ ...providers.anthropic.call("debug_echo", {}), stop_reason: "refusal" }) };
  const { text, refused } = await person().loop(refusing).ask("Hi.");
  assert.deepEqual([text, refused], ["The provider declined to answer.", true]);
  await assert.rejects(person().loop({ format: "gemini", ask: async () => ({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }) }).ask("Hi."), /MALFORMED_FUNCTION_CALL/);
});

const askingProgram = { code: "return await program.ask('Go on?', {type: 'boolean'}) ? 'went on' : 'stopped'" };

/** answer answers the question of a program that waits. */
function answer(helve, { waiting_for }) {
  return helve.consents.decide(waiting_for[0].consent_id, { decision: "grant", answer: { answer: true } });
}

/** ended resumes a conversation until the loop returns no pending calls. */
async function ended(loop, state) {
  for (;;) {
    const reply = await loop.resume(state);
    if (!reply.pending) return reply;
  }
}

test("a loop returns a program that waits for a person, and continues after the answer", async () => {
  const helve = person({ context: { user: `u-${randomUUID()}`, toolset: "code" } });
  const loop = helve.loop({ format: "anthropic", ask: model(providers.anthropic, "run_program", askingProgram) });
  const { pending, state } = await loop.ask("Do it.");
  assert.deepEqual([pending[0].state, pending[0].waiting_for[0].kind, awaitsPerson(pending[0])], ["waiting", "answer", true]);
  await answer(helve, pending[0]);
  const { text } = await ended(loop, state);
  assert.deepEqual(JSON.parse(text), { status: "success", result: "went on" });
});

for (const [format, provider] of Object.entries(providers)) {
  test(`a model of ${format} is told that its program waits, and what came back`, async () => {
    const helve = person({ context: { user: `u-${randomUUID()}`, toolset: "code" } });
    const asked = [];
    const said = [provider.call("run_program", askingProgram), provider.say("It waits."), provider.say("It went on.")];
    const loop = helve.loop({
      format, consent: "tell",
      ask: async ({ messages, tools }) => {
        assert.ok(!provider.offered(tools).includes("calculate"));
        return said[asked.push(messages) - 1];
      },
    });
    const first = await loop.ask("Do it.");
    assert.deepEqual([first.text, first.pending.map(awaitsPerson)], ["It waits.", [true]]);
    assert.match(provider.told(asked[1]).message, /waits for the answer of a person/);
    assert.deepEqual([first.state.pending.map(({ tool }) => tool), first.state.answered], [["run_program"], true]);
    assert.equal((await loop.resume(first.state)).pending.length, 1);
    assert.equal(asked.length, 2);
    await answer(helve, first.pending[0]);
    const last = await ended(loop, JSON.parse(JSON.stringify(first.state)));
    assert.deepEqual([last.text, last.state.pending, last.state.answered, last.state.rounds], ["It went on.", undefined, undefined, 1]);
    assert.match(JSON.stringify(asked[2].at(-1)), /of run_program has ended.*went on/);
  });
}
