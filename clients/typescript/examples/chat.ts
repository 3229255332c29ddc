// A chat with a model that uses Helve's tools, through OpenAI's SDK: OPENAI_API_KEY, and
// OPENAI_BASE_URL for another server with that API.
import OpenAI from "openai";

import { Helve } from "@helve/client";

const openai = new OpenAI();
const helve = new Helve({ url: process.env.HELVE_SERVER ?? "http://127.0.0.1:8080", context: { user: "ann", conversation: "chat" } });

const loop = helve.loop<OpenAI.ChatCompletionMessageParam, OpenAI.ChatCompletionTool>({
  format: "openai",
  ask: ({ messages, tools, signal }) => openai.chat.completions.create({ model: "gpt-5", messages, tools }, { signal }),
  tools: { group: "core" },
  consent: "wait",
  onConsent: ({ tool, consent_id }) => console.log(`${tool} waits: helve consent grant ${consent_id} --user ann`),
  onResults: (results) => {
    for (const { tool, status, message } of results) console.log(`[${tool}: ${message ?? status}]`);
  },
});

const { text } = await loop.ask(process.argv[2] ?? "What is 15% of 80?");
console.log(text);
