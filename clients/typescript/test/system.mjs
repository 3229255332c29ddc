// The running Helve that these tests use: HELVE_SERVER, with the diagnostic tools.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { Helve } from "@helve/client";

export const server = process.env.HELVE_SERVER ?? assert.fail("set HELVE_SERVER to the address of a helve up --diagnostics");

/** person returns a client of a person whom no other test knows. */
export function person(options = {}) {
  return new Helve({ url: server, context: { user: `u-${randomUUID()}`, conversation: "c1" }, ...options });
}

/** decide waits for the next consent of the client's user and decides it. */
export async function decide(helve, decision = "grant") {
  for await (const consent of helve.consents.watch({ user: helve.context.user, signal: AbortSignal.timeout(60_000) })) {
    return helve.consents.decide(consent.consent_id, { decision });
  }
}
