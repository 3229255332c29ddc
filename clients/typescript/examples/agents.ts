// An agent of the OpenAI Agents SDK that uses Helve's tools. The other adapters are used in the
// same way: helveTools returns the value that the framework takes as tools.
import { Agent, run, setOpenAIAPI, setTracingDisabled } from "@openai/agents";

import { Helve } from "@helve/client";
import { helveTools } from "@helve/client/openai-agents";

setOpenAIAPI("chat_completions");
setTracingDisabled(true);

const helve = new Helve({ url: process.env.HELVE_SERVER ?? "http://127.0.0.1:8080", context: { user: "ann" } });
const tools = await helveTools(helve, {
  group: "core",
  onConsent: ({ tool, consent_id }) => console.log(`${tool} waits: helve consent grant ${consent_id} --user ann`),
});
const agent = new Agent({ name: "Calculator", instructions: "Use the tools.", model: "gpt-5", tools });
const { finalOutput } = await run(agent, process.argv[2] ?? "What is 15% of 80?");
console.log(finalOutput);
