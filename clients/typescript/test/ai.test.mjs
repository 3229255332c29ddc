// The adapter for the AI SDK, with its own agent loop and its mock of a model.
import { generateText, stepCountIs, streamText } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import assert from "node:assert/strict";
import { test } from "node:test";

import { helveTools } from "@helve/client/ai";

import { scenarios } from "./scenarios.mjs";
import { person } from "./system.mjs";

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const end = (unified) => ({ finishReason: { unified, raw: unified }, usage, warnings: [] });
const toolCall = ({ id, name, args }) => ({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) });

/** shown returns the output of the tool in the last request to a model. */
function shown(calls) {
  const { output } = calls.at(-1).prompt.at(-1).content[0];
  const text = typeof output.value === "string" ? output.value : JSON.stringify(output.value);
  return { content: text, error: output.type.startsWith("error") };
}

async function run(helve, options, call, abortSignal) {
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => (prompt.length === 1 ? { content: [toolCall(call)], ...end("tool-calls") } : { content: [{ type: "text", text: "Done." }], ...end("stop") }),
  });
  const tools = await helveTools(helve, options);
  const { text } = await generateText({ model, tools, prompt: "Do it.", stopWhen: stepCountIs(3), abortSignal });
  assert.equal(text, "Done.");
  return shown(model.doGenerateCalls);
}

scenarios(run, { marksErrors: true });

test("streamText: the output of a tool is the Result", async () => {
  const stream = (...chunks) => ({ stream: simulateReadableStream({ chunks: [{ type: "stream-start", warnings: [] }, ...chunks], initialDelayInMs: null, chunkDelayInMs: null }) });
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) =>
      prompt.length === 1
        ? stream(toolCall({ id: "call_1", name: "calculate", args: { expression: "6*7" } }), { type: "finish", ...end("tool-calls") })
        : stream({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Done." }, { type: "text-end", id: "1" }, { type: "finish", ...end("stop") }),
  });
  const outputs = [];
  const { stream: parts } = streamText({ model, tools: await helveTools(person(), { group: "core" }), prompt: "Do it.", stopWhen: stepCountIs(3) });
  for await (const part of parts) if (part.type === "tool-result") outputs.push(part.output);
  assert.deepEqual(outputs.map(({ tool, status, result }) => [tool, status, result.result]), [["calculate", "success", 42]]);
  assert.equal(JSON.parse(shown(model.doStreamCalls).content).result.result, 42);
});
