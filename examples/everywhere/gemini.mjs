// Google's SDK: Helve lists its tools for Gemini, and runs what it calls.
import { GoogleGenAI } from "@google/genai";

const server = process.env.HELVE_SERVER ?? "http://127.0.0.1:8080";
async function helve(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(server + path, body && post);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const google = new GoogleGenAI({}); // with GEMINI_API_KEY
const { tools } = await helve("/v1/tools?format=gemini&group=core");
const contents = [{ role: "user", parts: [{ text: "What is 15% of 80?" }] }];
const ask = () => google.models.generateContent({ model: "gemini-3.8-flash", contents, config: { tools } });

let response = await ask();
while (response.functionCalls) {
  const message = response.candidates[0].content;
  const done = await helve("/v1/execute", { format: "gemini", message });
  for (const call of done.results) console.log(call.tool, JSON.stringify(call.result ?? call));
  contents.push(message, ...done.messages);
  response = await ask();
}
console.log(response.text);
