// What the charts and the table of the history show.

import type { Schemas } from '../../api/client';

export const spans = ['1h', '24h', '7d'] as const;
export type Span = (typeof spans)[number];

type Values = readonly (number | null)[];
const names = ['success', 'error', 'p50', 'p99', 'backlog', 'busy', 'slots'] as const;
export type Shown = Readonly<Record<(typeof names)[number], Values>>;
export type Row = Readonly<Record<(typeof names)[number], number | null>> & { readonly to: string };

// shown returns the series of a pool, or of all, with null where nothing is known.
export function shown(data: Schemas['MetricsHistory'], pool: string): Shown {
  const s = data.pools.find((p) => p.name === pool) ?? data.total;
  const known = (values: Values) => values.map((v, i) => (data.known[i] ? v : null));
  return {
    success: known(s.success), error: known(s.error), p50: known(s.p50_ms), p99: known(s.p99_ms), backlog: known(s.backlog),
    busy: known(s.busy), slots: known(s.slots),
  };
}

// rows returns at most `most` rows of a table, the newest first, without those of which nothing
// is known: the mean of rates, the largest of everything else.
export function rows(times: readonly string[], s: Shown, most: number): Row[] {
  const every = Math.max(1, Math.ceil(times.length / most));
  const all: Row[] = [];
  for (let end = times.length; end > 0; end -= every) {
    const begin = Math.max(0, end - every);
    const row = Object.fromEntries(names.map((n) => [n, (n === 'success' || n === 'error' ? mean : largest)(s[n].slice(begin, end))]));
    if (row['success'] !== null) all.push({ to: times[end - 1] ?? '', ...row } as Row);
  }
  return all;
}

// mean returns the mean of the known values, or null.
function mean(values: Values): number | null {
  const known = values.filter((v) => v !== null);
  return known.length === 0 ? null : known.reduce((sum, v) => sum + v, 0) / known.length;
}

// largest returns the largest known value, or null.
export function largest(values: Values): number | null {
  return values.reduce<number | null>((m, v) => (v === null ? m : Math.max(m ?? v, v)), null);
}
