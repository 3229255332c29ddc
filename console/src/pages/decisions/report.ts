// Who allowed what, and how fast, out of the records of the trail.

import type { Schemas } from '../../api/client';

type Entry = Schemas['AuditRecord'];

export interface Decision {
  readonly id: string;
  readonly at: string;
  // Milliseconds from the request to the decision; undefined if the request is not among the
  // records.
  readonly waited: number | undefined;
  readonly user: string;
  readonly agent: string;
  readonly tool: string;
  readonly by: string;
  readonly allowed: boolean;
  readonly reason: string;
  readonly call: string;
}

// decisionsOf returns the decisions, the newest first.
export function decisionsOf(decided: readonly Entry[], requested: readonly Entry[]): Decision[] {
  const asked = new Map<string, number>();
  for (const r of requested) {
    const at = Date.parse(r.time);
    if (r.consent_id) asked.set(r.consent_id, Math.min(at, asked.get(r.consent_id) ?? at));
  }
  return decided.map((r): Decision => {
    const began = asked.get(r.consent_id ?? '');
    return {
      id: r.audit_id, at: r.time, waited: began === undefined ? undefined : Math.max(0, Date.parse(r.time) - began),
      user: r.user ?? '', agent: r.agent ?? '', tool: r.tool ?? '', by: r.by ?? '', allowed: r.decision?.outcome === 'allowed',
      reason: r.decision?.reason ?? '', call: r.call_id ?? '',
    };
  }).sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

export interface Decider {
  readonly by: string;
  readonly all: number;
  readonly allowed: number;
  // Milliseconds, of the decisions whose request is known.
  readonly median: number | undefined;
}

// decidersOf returns who decided, those with the most decisions first.
export function decidersOf(decisions: readonly Decision[]): Decider[] {
  const by = new Map<string, Decision[]>();
  for (const d of decisions) by.set(d.by, [...(by.get(d.by) ?? []), d]);
  return [...by].map(([name, of]) => ({
    by: name, all: of.length, allowed: of.filter((d) => d.allowed).length, median: median(of.flatMap((d) => (d.waited === undefined ? [] : [d.waited]))),
  })).sort((a, b) => b.all - a.all || (a.by < b.by ? -1 : 1));
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

// csvOf returns the decisions as CSV with a header line. A cell that a spreadsheet would run as a
// formula begins with an apostrophe.
export function csvOf(decisions: readonly Decision[]): string {
  const cell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const rows = decisions.map((d) => [
    d.at, d.by, d.allowed ? 'allowed' : 'blocked', d.waited === undefined ? '' : String(d.waited / 1000), d.user, d.agent, d.tool, d.call, d.reason,
  ]);
  return [['time', 'by', 'outcome', 'waited_seconds', 'user', 'agent', 'tool', 'call_id', 'reason'], ...rows].map((r) => r.map(cell).join(',') + '\r\n').join('');
}
