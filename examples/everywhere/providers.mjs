// The providers, as far as the snippets see them: an HTTP server that reads and writes
// as each API does. Its models call calculate with the tool they were offered, and say
// what came back; a request that lacks either is refused, which fails the snippet.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

export const key = "a-key-of-this-test";
const question = "What is 15% of 80?";
const input = { expression: "15% of 80" };

// Of each API: where the key is, what was offered, what its model calls, what it was told, how it answers.
const providers = {
  "/v1/chat/completions": {
    key: (headers) => headers.authorization?.replace("Bearer ", ""),
    offers: (body) => body.tools.map(({ type, function: { name, parameters } }) => (assert.equal(type, "function"), { name, schema: parameters })),
    call: {
      role: "assistant", content: null, refusal: null, annotations: [],
      tool_calls: [{ id: "call_Vw3x", type: "function", function: { name: "calculate", arguments: JSON.stringify(input) } }],
    },
    told({ messages: [asked, called, answered, ...more] }) {
      assert.deepEqual([asked, more], [{ role: "user", content: question }, []]);
      if (!called) return undefined;
      assert.deepEqual([called, answered.role, answered.tool_call_id], [this.call, "tool", "call_Vw3x"]);
      return JSON.parse(answered.content);
    },
    says: (text) => ({ role: "assistant", content: text, refusal: null, annotations: [] }),
    envelope: (message) => ({
      id: "chatcmpl-1", object: "chat.completion", created: 1764547200, model: "gpt-5",
      choices: [{ index: 0, finish_reason: message.tool_calls ? "tool_calls" : "stop", logprobs: null, message }],
      usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
    }),
  },
  "/v1/messages": {
    key: (headers) => headers["anthropic-version"] === "2026-10-21" && headers.authorization?.replace("Bearer ", ""),
    offers: (body) => body.tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
    call: [
      { type: "text", text: "I shall calculate it.", citations: null },
      { type: "tool_use", id: "toolu_01A", name: "calculate", input, caller: { type: "direct" }, toolset_name: null },
    ],
    told({ messages: [asked, called, answered, ...more] }) {
      assert.deepEqual([asked, more], [{ role: "user", content: question }, []]);
      if (!called) return undefined;
      const [{ content, ...result }] = answered.content;
      assert.deepEqual([called, answered.role, result],
        [{ role: "assistant", content: this.call }, "user", { type: "tool_result", tool_use_id: "toolu_01A" }]);
      return JSON.parse(content);
    },
    says: (text) => [{ type: "text", text, citations: null }],
    envelope: (content) => ({
      id: "msg_01A", type: "message", role: "assistant", model: "claude-sonnet-5-5", content, container: null, diagnostics: null,
      stop_reason: content.at(-1).type === "tool_use" ? "tool_use" : "end_turn", stop_sequence: null, stop_details: null,
      usage: { input_tokens: 9, output_tokens: 9 },
    }),
  },
  "/v1beta/models/gemini-3.8-flash:generateContent": {
    key: (headers) => headers["x-goog-api-key"],
    offers: (body) => body.tools.flatMap((tool) => tool.functionDeclarations).map(({ name, parameters }) => ({ name, schema: parameters })),
    call: { role: "model", parts: [{ functionCall: { id: "x7f2", name: "calculate", args: input }, thoughtSignature: "c2lnbmVk" }] },
    told({ contents: [asked, called, answered, ...more] }) {
      assert.deepEqual([asked, more], [{ role: "user", parts: [{ text: question }] }, []]);
      if (!called) return undefined;
      const [{ functionResponse }] = answered.parts;
      assert.deepEqual([called, answered.role, functionResponse.id, functionResponse.name], [this.call, "user", "x7f2", "calculate"]);
      return functionResponse.response;
    },
    says: (text) => ({ role: "model", parts: [{ text }] }),
    envelope: (content) => ({
      candidates: [{ content, finishReason: "STOP", index: 0 }], modelVersion: "gemini-3.8-flash", responseId: "r1",
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9, totalTokenCount: 18 },
    }),
  },
};

async function answer(request) {
  const provider = providers[request.url];
  assert.ok(provider && request.method === "POST", `no provider has ${request.method} ${request.url}`);
  assert.equal(provider.key(request.headers), key);
  const body = await json(request);
  const offered = provider.offers(body).find((tool) => tool.name === "calculate");
  assert.ok(offered?.schema.properties.expression && offered.schema.required.includes("expression"), "calculate is not offered");
  const outcome = provider.told(body);
  if (!outcome) return provider.envelope(provider.call);
  assert.equal(outcome.status, "success");
  return provider.envelope(provider.says(`${outcome.result.expression} is ${outcome.result.formatted}.`));
}

// serve returns the server, listening on a port of its own.
export async function serve() {
  const server = createServer(async (request, response) => {
    let status = 200;
    const body = await answer(request).catch((err) => ((status = 400), { error: { message: err.message } }));
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
