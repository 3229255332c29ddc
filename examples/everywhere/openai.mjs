// OpenAI's SDK: Helve lists its tools for the model, and runs what the model calls.
import OpenAI from "openai";

const server = process.env.HELVE_SERVER ?? "http://127.0.0.1:8080";
async function helve(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(server + path, body && post);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const openai = new OpenAI(); // with OPENAI_API_KEY
const { tools } = await helve("/v1/tools?format=openai&group=core");
const messages = [{ role: "user", content: "What is 15% of 80?" }];
const ask = async () => (await openai.chat.completions.create({ model: "gpt-5", messages, tools })).choices[0].message;

let message = await ask();
while (message.tool_calls?.length) {
  const done = await helve("/v1/execute", { format: "openai", message });
  for (const call of done.results) console.log(call.tool, JSON.stringify(call.result ?? call));
  messages.push(message, ...done.messages);
  message = await ask();
}
console.log(message.content);
