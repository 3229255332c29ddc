// A server that answers as a test says.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * serve runs a test with the address of a server, the requests it receives, and the next answers
 * of it: functions of the request and response, the last of which stays.
 */
export async function serve(t, ...answers) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    requests.push({ method: request.method, url: request.url, headers: request.headers, body, json: body.startsWith("{") ? JSON.parse(body) : undefined });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    await answer(requests.at(-1), response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

/** json returns an answer with a body of JSON. */
export function json(body, status = 200, headers = {}) {
  return (_, response) => response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** problem returns the answer of a request that failed as a whole. */
export function problem(status, error_type, headers = {}) {
  return json({ type: "about:blank", title: "it failed", status, detail: "It failed; try it later.", error_type }, status, { "Content-Type": "application/problem+json", ...headers });
}

/** succeed answers each call with its arguments. */
export function succeed({ json: { trace_id, calls } }, response) {
  const results = calls.map(({ call_id, tool, arguments: result }) => ({ call_id, tool, status: "success", result, duration_ms: 1 }));
  json({ trace_id, results })(undefined, response);
}

/** pend answers each call as pending. */
export function pend(state, more = {}) {
  return ({ json: { trace_id, calls } }, response) => {
    json({ trace_id, results: calls.map(({ call_id, tool }) => ({ call_id, tool, status: "pending", state, duration_ms: 0, ...more })) })(undefined, response);
  };
}

/** cut reads a request and closes the connection: the answer is lost. */
export function cut(_, response) {
  response.destroy();
}

/** hang never answers. */
export function hang() {}
