// The search of the trail: filters of the address, as the API takes them.

import type { Query, Schemas } from '../../api/client';

export type Entry = Schemas['AuditRecord'];

export const filters = ['tool', 'user', 'agent', 'conversation', 'call_id', 'trace_id', 'error_type', 'text', 'phase', 'outcome', 'status', 'from', 'to'] as const;
export type Filters = { readonly [F in (typeof filters)[number]]?: string };

// queryOf returns the parameters for a page of at most `limit` records.
export function queryOf(chosen: Filters, limit: number): Query<'/v1/audit'> {
  return { ...(chosen as Query<'/v1/audit'>), newest: 'true', limit };
}

// exportOf returns the parameters of the export of what is chosen.
export function exportOf(chosen: Filters): Query<'/v1/audit/export'> {
  return chosen as Query<'/v1/audit/export'>;
}

// newestFirst returns the records of a page, which has the oldest first.
export function newestFirst(page: readonly Entry[]): Entry[] {
  return [...page].sort((a, b) => (b.seq ?? Infinity) - (a.seq ?? Infinity) || (b.part ?? 0) - (a.part ?? 0) || Date.parse(b.time) - Date.parse(a.time));
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
