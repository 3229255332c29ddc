// The period of a list: from and to of the API, as words of a person.

import type { Filters } from './definition';

export const periods = ['15m', '1h', '24h', '168h'] as const;

// yesterday returns the bounds of the day before the one of `now`, by the clock of the reader.
export function yesterday(now: number): { readonly from: string; readonly to: string } {
  const today = new Date(now);
  today.setHours(0, 0, 0, 0);
  const before = new Date(today);
  before.setDate(before.getDate() - 1);
  return { from: before.toISOString(), to: today.toISOString() };
}

// momentOf returns the time that a bound stands for: RFC 3339, or how long ago, as 1h30m. It is
// undefined for what only the server understands.
export function momentOf(bound: string | undefined, now: number): number | undefined {
  if (!bound) return undefined;
  const ago = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(bound);
  if (ago) return now - ((Number(ago[1] ?? 0) * 60 + Number(ago[2] ?? 0)) * 60 + Number(ago[3] ?? 0)) * 1000;
  const at = Date.parse(bound);
  return Number.isNaN(at) ? undefined : at;
}

// spanOf returns the time that a histogram shows: the chosen one, else that of the rows.
export function spanOf(times: readonly number[], filters: Filters, now: number): readonly [from: number, to: number] {
  const to = momentOf(filters['to'], now) ?? now;
  const from = momentOf(filters['from'], now) ?? times.reduce((a, b) => Math.min(a, b), to);
  return [Math.min(from, to - 1), to];
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
