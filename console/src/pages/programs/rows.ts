// Where the steps and waits of a program are on its time.

import type { Schemas } from '../../api/client';
import { ticks } from '../calls/waterfall';
import type { Program } from './use';

export interface Row {
  readonly key: string;
  readonly kind: 'step' | 'sleep' | 'part';
  // The tool, or the name of the part.
  readonly name: string;
  readonly step?: Schemas['ProgramStep'];
  readonly line: number;
  // A row of a part is indented below it.
  readonly within: boolean;
  // How it is, as a status; '' for a step that the program did not await.
  readonly status: string;
  readonly error?: string | undefined;
  // It is a time in which the program or the person waits, and no work.
  readonly waits: boolean;
  readonly until?: string;
  // The number of rows of a part.
  readonly many: number;
  // In percent of the axis, and in milliseconds.
  readonly left: number;
  readonly width: number;
  readonly took: number;
}

export interface Rows {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly ticks: readonly number[];
}

interface Span extends Omit<Row, 'left' | 'width' | 'took' | 'within'> {
  readonly part: string;
  readonly begin: number;
  readonly end: number;
}

// timeline orders the steps and sleeps of a program by their begin, those of a named part below
// it. What has not ended lasts until now. Rows of the parts in `folded` are left out.
export function timeline(p: Program, now: number, folded: ReadonlySet<string>): Rows {
  const begin = Date.parse(p.started_at);
  const over = p.ended_at ? Date.parse(p.ended_at) : Math.max(now, begin);
  const waits = new Map((p.waiting_for ?? []).map((w) => [w.call_id ?? '', w.kind]));
  const time = (at: string | undefined) => (at ? Date.parse(at) : over);
  const spans: Span[] = p.steps.map((s): Span => {
    const person = waits.get(s.call_id) === 'consent' || waits.get(s.call_id) === 'answer';
    const status = s.state !== 'done' ? (person ? 'awaiting_consent' : 'running') : s.error_type === 'cancelled' || s.error_type === 'outcome_unknown' ? s.error_type : s.status ?? '';
    return {
      key: s.call_id, kind: 'step', name: s.tool, step: s, line: s.line, part: s.name ?? '', status, error: status === 'error' ? s.error_type : undefined,
      waits: person || s.tool === 'ask_user', many: 0, begin: Date.parse(s.started_at), end: time(s.ended_at),
    };
  });
  for (const s of p.sleeps ?? []) {
    const open = !s.ended_at && p.state !== 'done';
    spans.push({ key: `sleep ${s.n}`, kind: 'sleep', name: '', line: s.line, part: '', status: open ? 'waiting' : '', waits: true, until: s.until, many: 0, begin: Date.parse(s.started_at), end: time(s.ended_at) });
  }
  spans.sort((a, b) => a.begin - b.begin); // it keeps the order of the code where the times are the same
  const total = Math.max(1, over - begin, ...spans.map((s) => s.end - begin));
  const row = ({ begin: from, end, part: _, ...s }: Span, within: boolean): Row => {
    const took = Math.max(0, end - from);
    return { ...s, within, took, left: Math.min(99.5, Math.max(0, ((from - begin) / total) * 100)), width: Math.max(0.5, (took / total) * 100) };
  };
  return { rows: grouped(spans, folded, row), total, ticks: ticks(total) };
}

function grouped(spans: readonly Span[], folded: ReadonlySet<string>, row: (s: Span, within: boolean) => Row): Row[] {
  const parts = new Map<string, Span[]>();
  for (const s of spans) {
    const own = parts.get(s.part);
    if (own) own.push(s);
    else parts.set(s.part, [s]);
  }
  const rows: Row[] = [];
  const seen = new Set<string>();
  for (const s of spans) {
    if (!s.part) rows.push(row(s, false));
    if (!s.part || seen.has(s.part)) continue;
    seen.add(s.part);
    const own = parts.get(s.part) ?? [];
    const status = ['awaiting_consent', 'running', 'outcome_unknown', 'error', 'cancelled'].find((w) => own.some((o) => o.status === w)) ?? s.status;
    rows.push(row({ key: `part ${s.part}`, kind: 'part', name: s.part, line: s.line, part: '', status, waits: false, many: own.length, begin: s.begin, end: Math.max(...own.map((o) => o.end)) }, false));
    if (!folded.has(s.part)) rows.push(...own.map((o) => row(o, true)));
  }
  return rows;
}
