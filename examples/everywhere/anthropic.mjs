// Anthropic's SDK: Helve lists its tools for the model, and runs what the model calls.
import Anthropic from "@anthropic-ai/sdk";

const server = process.env.HELVE_SERVER ?? "http://127.0.0.1:8080";
async function helve(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(server + path, body && post);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const anthropic = new Anthropic(); // with ANTHROPIC_API_KEY
const { tools } = await helve("/v1/tools?format=anthropic&group=core");
const messages = [{ role: "user", content: "What is 15% of 80?" }];
const ask = () => anthropic.messages.create({ model: "claude-sonnet-5-5", max_tokens: 1024, messages, tools });

let message = await ask();
while (message.stop_reason === "tool_use") {
  const done = await helve("/v1/execute", { format: "anthropic", message });
  for (const call of done.results) console.log(call.tool, JSON.stringify(call.result ?? call));
  messages.push({ role: "assistant", content: message.content }, ...done.messages);
  message = await ask();
}
for (const block of message.content) if (block.type === "text") console.log(block.text);
