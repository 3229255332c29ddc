// Counting the loaded rows: by value, by time, and by what they have in common.

import type { Facet, Filters } from './definition';
import type { Outcome } from './outcome';
import { toneOf } from './outcome';

// countsOf returns the values of the rows with their number, the most frequent first.
export function countsOf<R>(rows: readonly R[], facet: Pick<Facet<R>, 'valueOf' | 'choices'>): [value: string, n: number][] {
  const all = new Map<string, number>((facet.choices ?? []).map((c) => [c, 0]));
  for (const r of rows) {
    const value = facet.valueOf(r);
    if (value) all.set(value, (all.get(value) ?? 0) + 1);
  }
  return [...all].sort((a, b) => b[1] - a[1]);
}

// localRows returns the rows that fit the filters which the API does not know.
export function localRows<R>(rows: readonly R[], facets: readonly Facet<R>[], filters: Filters): readonly R[] {
  const asked = facets.filter((f) => f.local && filters[f.name]);
  return asked.length === 0 ? rows : rows.filter((r) => asked.every((f) => f.valueOf(r) === filters[f.name]));
}

// wordOf returns the word for a value, undefined for a value from outside.
export function wordOf(words: object, value: string): string | undefined {
  return Object.hasOwn(words, value) ? (words as Readonly<Record<string, string>>)[value] : undefined;
}

export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly good: number;
  readonly bad: number;
  readonly other: number;
}

// bucketsOf divides the time between two moments into `n` equal parts and counts the outcomes
// in each.
export function bucketsOf(rows: readonly { readonly at: number; readonly outcome: Outcome }[], from: number, to: number, n: number): Bucket[] {
  const width = Math.max(1, (to - from) / n);
  const all = Array.from({ length: n }, (_, i) => ({ from: from + i * width, to: from + (i + 1) * width, good: 0, bad: 0, other: 0 }));
  for (const { at, outcome } of rows) {
    const bucket = all[Math.min(n - 1, Math.floor((at - from) / width))];
    if (!bucket || at < from || at > to) continue;
    const tone = toneOf(outcome);
    if (tone === 'good') bucket.good++;
    else if (tone === 'calm' || outcome === 'waits') bucket.other++;
    else bucket.bad++;
  }
  return all;
}

// groupsOf returns what at least two rows have in common, the largest group first.
export function groupsOf<R, G extends { readonly key: string }>(rows: readonly R[], groupOf: (row: R) => G | undefined): { readonly group: G; readonly rows: readonly R[] }[] {
  const all = new Map<string, { group: G; rows: R[] }>();
  for (const r of rows) {
    const group = groupOf(r);
    if (!group) continue;
    const known = all.get(group.key);
    if (known) known.rows.push(r);
    else all.set(group.key, { group, rows: [r] });
  }
  return [...all.values()].filter((g) => g.rows.length > 1).sort((a, b) => b.rows.length - a.rows.length);
}
