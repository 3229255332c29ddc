// The adapter for the OpenAI Agents SDK, with its Runner and a Model of a test.
import { Agent, Runner, setTracingDisabled, Usage } from "@openai/agents";
import assert from "node:assert/strict";

import { helveTools } from "@helve/client/openai-agents";

import { scenarios } from "./scenarios.mjs";

setTracingDisabled(true);

async function run(helve, options, { id, name, args }, signal) {
  const requests = [];
  const model = {
    async getResponse(request) {
      requests.push(request);
      const output =
        requests.length === 1
          ? [{ type: "function_call", callId: id, name, arguments: JSON.stringify(args), status: "completed" }]
          : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done." }] }];
      return { usage: new Usage(), output };
    },
  };
  const agent = new Agent({ name: "helper", model, tools: await helveTools(helve, options) });
  const { finalOutput } = await new Runner().run(agent, "Do it.", { signal });
  assert.equal(finalOutput, "Done.");
  const offered = requests[0].tools.find((tool) => tool.name === name);
  assert.deepEqual([offered.type, offered.strict, offered.parameters.type], ["function", false, "object"]);
  const { output } = requests.at(-1).input.at(-1);
  return { content: typeof output === "string" ? output : output.text };
}

scenarios(run, { marksErrors: false });
