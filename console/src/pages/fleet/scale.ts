// Where the points of a chart are, and what its table says.

import type { Schemas } from '../../api/client';

export type Series = Schemas['MetricsSeries'];

// The size of a chart in its own units; the page stretches it.
export const [width, height] = [600, 120];

// top returns a round number that no value exceeds: 1, 2 or 5 times a power of ten.
export function top(values: readonly (number | null)[]): number {
  const most = values.reduce<number>((m, v) => Math.max(m, v ?? 0), 0);
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((n) => n * power >= most * (1 - 1e-9)) ?? 10) * power;
}

// path returns the line through values as SVG writes it. It is broken where a value is not
// known; a value alone becomes a short line.
export function path(values: readonly (number | null)[], most: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const at = (x: number, v: number) => `${round(x)} ${round(height - (Math.min(v, most) / most) * height)}`;
  let line = '';
  values.forEach((v, i) => {
    if (v === null) return;
    const before = i > 0 ? values[i - 1] : null;
    const after = values[i + 1] ?? null;
    const alone = (before ?? null) === null && after === null;
    line += `${(before ?? null) === null ? 'M' : 'L'}${at(i * step, v)}`;
    if (alone) line += `h${Math.max(2, round(step / 2))}`;
  });
  return line;
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}

export interface Row {
  readonly from: string;
  readonly to: string;
  readonly success: number;
  readonly error: number;
  readonly p50: number | null;
  readonly p99: number | null;
}

// rows returns a series as a table of at most `most` rows, the newest first: the mean of
// rates, the largest of times.
export function rows(times: readonly string[], s: Series, most: number): Row[] {
  const every = Math.max(1, Math.ceil(times.length / most));
  const all: Row[] = [];
  for (let end = times.length; end > 0; end -= every) {
    const begin = Math.max(0, end - every);
    const mean = (of: readonly number[]) => of.slice(begin, end).reduce((sum, v) => sum + v, 0) / (end - begin);
    all.push({
      from: times[begin] ?? '', to: times[end - 1] ?? '', success: mean(s.success), error: mean(s.error),
      p50: largest(s.p50_ms.slice(begin, end)), p99: largest(s.p99_ms.slice(begin, end)),
    });
  }
  return all;
}

// largest returns the largest known value, or null.
export function largest(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((m, v) => (v === null ? m : Math.max(m ?? v, v)), null);
}

// latest returns the last known value, or null.
export function latest(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((l, v) => v ?? l, null);
}
