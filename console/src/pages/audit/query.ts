// The search of the trail: filters of the address, as the API takes them.

import type { Query, Schemas } from '../../api/client';

export type Entry = Schemas['AuditRecord'];

export const names = ['tool', 'user', 'agent', 'conversation', 'call_id', 'trace_id', 'error_type'] as const;
export const filters = [...names, 'text', 'phase', 'outcome', 'status', 'from', 'to'] as const;
export type Filters = { readonly [F in (typeof filters)[number]]?: string };

// chosenOf returns the filters that an address has.
export function chosenOf(query: URLSearchParams): Filters {
  return Object.fromEntries(filters.map((f) => [f, query.get(f)]).filter(([, v]) => v));
}

// queryOf returns the parameters for a page of at most `limit` records.
export function queryOf(chosen: Filters, limit: number): Query<'/v1/audit'> {
  return { ...(chosen as Query<'/v1/audit'>), newest: 'true', limit };
}

// exportOf returns the parameters of the export of what is chosen.
export function exportOf(chosen: Filters): Query<'/v1/audit/export'> {
  return chosen as Query<'/v1/audit/export'>;
}

// joined returns the records of pages, each once, the newest first.
export function joined(...pages: readonly (readonly Entry[])[]): Entry[] {
  const all = new Map<string, Entry>();
  for (const r of pages.flat()) if (!all.has(r.audit_id)) all.set(r.audit_id, r);
  return [...all.values()].sort((a, b) => (b.seq ?? Infinity) - (a.seq ?? Infinity) || (b.part ?? 0) - (a.part ?? 0) || Date.parse(b.time) - Date.parse(a.time));
}

export interface Seals {
  readonly all: number;
  readonly sealed: number;
  readonly open: number;
  readonly wrong: number;
}

// seals counts how many records a valid seal covers, how many wait for theirs, and with how
// many something is wrong.
export function seals(records: readonly Entry[]): Seals {
  const wrong = records.filter((r) => r.problem).length;
  const sealed = records.filter((r) => r.sealed && !r.problem).length;
  return { all: records.length, sealed, wrong, open: records.length - sealed - wrong };
}

// localOf and utcOf turn a time of the address into that of an input of type datetime-local,
// and back.
export function localOf(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export function utcOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
