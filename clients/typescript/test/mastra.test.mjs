// The adapter for Mastra, with its Agent and the mock of a model that the AI SDK has.
import { Agent } from "@mastra/core/agent";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import assert from "node:assert/strict";

import { helveTools } from "@helve/client/mastra";

import { scenarios } from "./scenarios.mjs";

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const finish = (unified) => ({ type: "finish", finishReason: { unified, raw: unified }, usage });

async function run(helve, options, { id, name, args }, abortSignal) {
  const stream = (...chunks) => ({ stream: simulateReadableStream({ chunks: [{ type: "stream-start", warnings: [] }, ...chunks], initialDelayInMs: null, chunkDelayInMs: null }) });
  const model = new MockLanguageModelV4({
    doStream: async ({ prompt }) =>
      prompt.at(-1).role === "tool"
        ? stream({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Done." }, { type: "text-end", id: "1" }, finish("stop"))
        : stream({ type: "tool-call", toolCallId: id, toolName: name, input: JSON.stringify(args) }, finish("tool-calls")),
  });
  const agent = new Agent({ id: "helper", name: "helper", instructions: "Help.", model, tools: await helveTools(helve, options) });
  const answer = await agent.stream("Do it.", { maxSteps: 3, abortSignal });
  const text = await answer.text;
  abortSignal?.throwIfAborted();
  assert.equal(text, "Done.");
  const { output } = model.doStreamCalls.at(-1).prompt.at(-1).content[0];
  return { content: typeof output.value === "string" ? output.value : JSON.stringify(output.value), error: output.type.startsWith("error") };
}

scenarios(run, { marksErrors: true });
