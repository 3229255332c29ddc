// Deletes a file, for which a person must decide, and asks that person in the terminal.
import { createInterface } from "node:readline/promises";

import { Helve, ToolError } from "@helve/client";

const helve = new Helve({ url: process.env.HELVE_SERVER ?? "http://127.0.0.1:8080", context: { user: "ann" } });
await helve.files.put("old.txt", "It is old.\n");

async function decide(id: string): Promise<void> {
  const { tool, preview, warnings = [] } = await helve.consents.get(id);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question([`May ${tool} run?`, preview, ...warnings, "y/n: "].join("\n"));
  terminal.close();
  await helve.consents.decide(id, { decision: answer === "y" ? "grant" : "deny" });
}

try {
  await helve.call("delete_file", { path: "old.txt" }, {
    consent: "wait",
    wait_ms: Infinity,
    onConsent: ({ consent_id }) => void decide(consent_id),
  });
  console.log("\nIt is deleted.");
} catch (err) {
  if (!(err instanceof ToolError)) throw err;
  console.log(`\n${err.kind}: ${err.message}`);
}
