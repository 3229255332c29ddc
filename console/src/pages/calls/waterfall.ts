// Where the bars of a waterfall are.

import type { Summary } from './list';

export interface Bar {
  readonly call: Summary;
  // In percent of the axis.
  readonly left: number;
  readonly width: number;
  // How much of the bar, in percent of it, is the time before its tool ran.
  readonly waited: number;
  // How deep the call is nested in others.
  readonly depth: number;
  // From accepting to the end, as long as the bar, and of it the time that its tool ran, if that
  // is known; in milliseconds.
  readonly took: number;
  readonly ran: number | undefined;
}

// waterfall orders the calls by their begin, each after the call that made it, and after the part
// of it that `within` names. A call that is not done lasts until now.
export function waterfall(calls: readonly Summary[], now: number, within: ReadonlyMap<string, string> = new Map()): { readonly bars: readonly Bar[]; readonly total: number; readonly ticks: readonly number[] } {
  const spans = calls.map((call) => {
    const begin = Date.parse(call.since);
    const end = call.ended_at ? Date.parse(call.ended_at) : call.state === 'done' ? begin + (call.duration_ms ?? 0) : Math.max(now, begin);
    return { call, begin, end: Math.max(end, begin) };
  });
  const first = Math.min(...spans.map((s) => s.begin));
  const total = Math.max(1, Math.max(...spans.map((s) => s.end)) - first);
  const begins = new Map(spans.map((s) => [s.call.call_id, s.begin]));
  // A nested call has the id of the outer one with ~ and a number.
  const path = (id: string): readonly (readonly [number, string])[] => {
    const parts = id.split('~');
    return parts.map((_, i) => parts.slice(0, i + 1).join('~')).flatMap((at) => { const part = within.get(at); return part ? [part, at] : [at]; })
      .map((at) => [begins.get(at) ?? begins.get(id) ?? 0, at] as const);
  };
  const sorted = spans.map((s) => ({ ...s, path: path(s.call.call_id) })).sort((a, b) => {
    for (let i = 0; i < Math.min(a.path.length, b.path.length); i++) {
      const [x, y] = [a.path[i], b.path[i]];
      if (x && y && x[1] !== y[1]) return x[0] - y[0] || (x[1] < y[1] ? -1 : 1);
    }
    return a.path.length - b.path.length;
  });
  return {
    total,
    ticks: ticks(total),
    bars: sorted.map(({ call, begin, end, path: p }) => {
      const took = end - begin;
      const ran = call.state === 'done' && call.duration_ms !== undefined ? Math.min(call.duration_ms, took || call.duration_ms) : undefined;
      return {
        call, left: ((begin - first) / total) * 100, width: Math.max(0.5, (took / total) * 100), depth: p.length - 1, took: Math.max(took, ran ?? 0), ran,
        waited: ran === undefined || took === 0 ? 0 : ((took - ran) / took) * 100,
      };
    }),
  };
}

// ticks returns the marks of an axis from 0 to total milliseconds: four to nine, at multiples of
// 1, 2 or 5 times a power of ten.
export function ticks(total: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10(total / 4));
  const step = [5, 2, 1].map((n) => n * power).find((n) => total / n >= 4) ?? power;
  return Array.from({ length: Math.floor(total / step + 1e-9) + 1 }, (_, i) => i * step);
}
