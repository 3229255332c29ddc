// The hash of arguments, as the audit trail has it: SHA-256 of their canonical JSON
// (RFC 8785).

import { Digits } from '../../lib/exact';

// canonical writes a parsed value in canonical form. A number that JavaScript cannot hold
// keeps its digits, as in the hashes of the trail.
export function canonical(value: unknown): string {
  if (value instanceof Digits) return value.source;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, v]) => `${JSON.stringify(name)}:${canonical(v)}`).join(',')}}`;
}

// hashOf returns the hash, or undefined where the browser has no cryptography: on a page
// that came without TLS from another machine.
export async function hashOf(args: unknown): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(args)));
  return `sha256:${[...new Uint8Array(sum)].map((b) => b.toString(16).padStart(2, '0')).join('')}`;
}
