// Where the bars of a waterfall are.

import type { Summary } from './list';

export interface Bar {
  readonly call: Summary;
  // In percent of the trace.
  readonly left: number;
  readonly width: number;
  // How deep the call is nested in others.
  readonly depth: number;
  // Milliseconds.
  readonly took: number;
}

// waterfall orders the calls by their begin, each after the call that made it. A call that
// is not done lasts until now.
export function waterfall(calls: readonly Summary[], now: number): { readonly bars: readonly Bar[]; readonly total: number } {
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
    return parts.map((_, i) => { const at = parts.slice(0, i + 1).join('~'); return [begins.get(at) ?? begins.get(id) ?? 0, at] as const; });
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
    bars: sorted.map(({ call, begin, end, path: p }) => ({
      call, left: ((begin - first) / total) * 100, width: Math.max(0.5, ((end - begin) / total) * 100), depth: p.length - 1, took: call.state === 'done' ? call.duration_ms ?? end - begin : end - begin,
    })),
  };
}
