// The adapter for LangChain.js, with createAgent and the fake model of its core.
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { createAgent } from "langchain";
import assert from "node:assert/strict";
import { test } from "node:test";

import { helveTools } from "@helve/client/langchain";

import { scenarios } from "./scenarios.mjs";
import { person } from "./system.mjs";

async function run(helve, options, call, signal) {
  const model = fakeModel().respondWithTools([call]).respond(new AIMessage("Done."));
  const agent = createAgent({ model, tools: await helveTools(helve, options) });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Do it." }] }, { signal });
  assert.equal(messages.at(-1).content, "Done.");
  const told = model.calls.at(-1).messages.at(-1);
  assert.equal(told.artifact.tool_call_id, call.id);
  return { content: told.content, error: told.status === "error" };
}

scenarios(run, { marksErrors: true });

test("a tool that is invoked with plain arguments", async () => {
  const tools = await helveTools(person(), { group: "diagnostics" });
  const named = (name) => tools.find((tool) => tool.name === name);
  assert.deepEqual(JSON.parse(await named("debug_echo").invoke({ value: 1 })), { status: "success", result: 1 });
  await assert.rejects(named("debug_fail").invoke({ how: "error", kind: "not_found", message: "gone" }), { name: "ToolError", kind: "not_found" });
});
