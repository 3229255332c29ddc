// Node over NATS, with no HTTP between: the same JSON, as a request.
import { connect } from "@nats-io/transport-node";

const nc = await connect({ servers: process.env.NATS_URL ?? "nats://127.0.0.1:4222" });
const request = { calls: [{ tool: "calculate", arguments: { expression: "15% of 80" } }] };
const reply = await nc.request("helve.v1.default.api.execute", JSON.stringify(request), { timeout: 40_000 });
const refusal = reply.headers?.get("Nats-Service-Error");
if (refusal) throw new Error(refusal);
const [call] = reply.json().results;
console.log(JSON.stringify(call.result ?? call));
await nc.drain();
