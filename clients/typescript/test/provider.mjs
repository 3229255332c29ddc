// The API of chat completions, as far as the examples use it: its model calls calculate and says
// what came back.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** provider returns the server of the API, and its base URL. */
export async function provider() {
  const server = createServer(async (request, response) => {
    assert.equal(request.url, "/v1/chat/completions");
    const { messages, tools } = await json(request);
    assert.ok(tools.some((tool) => tool.function.name === "calculate"));
    const told = messages.at(-1);
    const message =
      told.role === "tool"
        ? { role: "assistant", content: `It is ${JSON.parse(told.content).result.formatted}.` }
        : { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "calculate", arguments: '{"expression":"15% of 80"}' } }] };
    const choice = { index: 0, finish_reason: message.tool_calls ? "tool_calls" : "stop", message };
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "gpt-5", choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${server.address().port}/v1` };
}
