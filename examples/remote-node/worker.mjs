// Tools in Node that Helve calls: this process says which it has, is asked on NATS,
// and answers. docs/remote-workers.md tells what it may rely on.
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@nats-io/transport-node";

const tools = {
  roman_numeral: {
    definition: {
      description: "Write a number as a Roman numeral.",
      mutates: false,
      timeout_seconds: 5,
      parameters: { properties: { number: { type: "integer", minimum: 1, maximum: 3999 } }, required: ["number"] },
    },
    run({ number }) {
      const signs = { M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 };
      return Object.entries(signs).reduce((text, [sign, value]) => {
        for (; number >= value; number -= value) text += sign;
        return text;
      }, "");
    },
  },
  countdown: {
    definition: {
      description: "Count down to zero, and tell each step.",
      mutates: false,
      timeout_seconds: 600,
      parameters: { properties: { from: { type: "integer", minimum: 1, maximum: 1000 } }, required: ["from"] },
    },
    async run({ from }, { progress, signal }) {
      for (let left = from; left > 0; left--) {
        progress({ left });
        await sleep(20, undefined, { signal });
      }
      return "lift-off";
    },
  },
};

const subject = `helve.v1.${process.env.HELVE_TENANT ?? "default"}`;
const instance = `node-${process.pid}`;
const ttl = 15_000;
const nc = await connect({ servers: process.env.NATS_URL ?? "nats://127.0.0.1:4222" });

async function ask(operation, body) {
  const reply = await nc.request(`${subject}.api.${operation}`, JSON.stringify(body), { timeout: 10_000 });
  const refusal = reply.headers?.get("Nats-Service-Error");
  if (refusal) throw new Error(refusal);
}

async function answer(msg) {
  const call = msg.json();
  const stop = new AbortController();
  const cancelled = nc.subscribe(`${subject}.cancel.${call.call_id}`, { callback: () => stop.abort() });
  const progress = (data) => nc.publish(msg.headers.get("Helve-Events"), JSON.stringify(data));
  try {
    const result = await tools[call.tool].run(call.arguments, { progress, signal: stop.signal });
    msg.respond(JSON.stringify({ status: "success", result }));
  } catch (err) {
    const error_type = stop.signal.aborted ? "cancelled" : "execution_error";
    msg.respond(JSON.stringify({ status: "error", error_type, message: err.message }));
  } finally {
    cancelled.unsubscribe();
  }
}

for (const name of Object.keys(tools)) { // listen first: whoever registers is asked
  nc.subscribe(`${subject}.remote.${name}`, { queue: "helve-remote", callback: (err, msg) => err ?? answer(msg) });
}
const register = () => ask("remote.register", {
  instance, ttl_ms: ttl, tools: Object.entries(tools).map(([name, { definition }]) => ({ name, ...definition })),
});
await register();
console.log(`ready instance=${instance}`);
const heartbeat = setInterval(() => register().catch(console.error), ttl / 3);
process.once("SIGTERM", async () => {
  clearInterval(heartbeat);
  await ask("remote.unregister", { instance }).catch(console.error);
  await nc.drain();
});
