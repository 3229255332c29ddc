// What the calls of a conversation are together.

import type { Summary } from '../calls/list';

export interface Totals {
  // From the acceptance of the first call to the end of the last, and how long tools ran; in milliseconds.
  readonly span: number;
  readonly ran: number;
  readonly users: readonly string[];
  readonly agents: readonly string[];
}

// totalsOf adds calls up. One that is not done lasts until now.
export function totalsOf(calls: readonly Summary[], now: number): Totals {
  const begin = Math.min(...calls.map((c) => Date.parse(c.accepted_at)));
  const end = Math.max(...calls.map((c) => (c.state === 'done' ? Date.parse(c.ended_at ?? c.since) : now)));
  const names = (of: (c: Summary) => string | undefined) => [...new Set(calls.map(of))].filter((name) => name !== undefined);
  return {
    span: Math.max(0, end - begin), ran: calls.reduce((sum, c) => sum + (c.duration_ms ?? 0), 0),
    users: names((c) => c.user), agents: names((c) => c.agent),
  };
}
