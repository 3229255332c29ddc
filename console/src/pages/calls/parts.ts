// What programs add to the calls of their trace: their named parts, the times in which they sleep,
// and steps of which no list has anything any more.

import { useRef } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { me } from '../../app/session';
import type { Summary } from './list';

type Program = Schemas['ProgramDetail'];

// More programs of one trace are shown by their calls only.
const most = 20;

// As a trace is read again. A look at a program of somebody else is on the audit trail, so that is
// read once.
const pace = 5000;

// usePrograms reads the programs of a trace.
export function usePrograms(trace: string): readonly Program[] {
  const every = useRef(0);
  const live = useLive(`programs of ${trace}`, async (signal): Promise<readonly Program[]> => {
    const { programs } = await api.get('/v1/programs', { query: { trace_id: trace, limit: most }, signal });
    const all = await Promise.all(programs.map((p) => api.get('/v1/programs/{call_id}', { path: { call_id: p.call_id }, signal }).catch(() => undefined)));
    const open = programs.some((p) => p.state !== 'done' && (!me.value.user || p.user === me.value.user));
    every.current = open ? pace : 0;
    return all.filter((p) => p !== undefined);
  }, every.current);
  return live.data ?? [];
}

export interface Traced {
  readonly calls: readonly Summary[];
  // The part that a step is in, by the ids of both.
  readonly within: ReadonlyMap<string, string>;
  // What is no call, by its id.
  readonly kinds: ReadonlyMap<string, 'part' | 'sleep'>;
}

// withPrograms adds the programs of a trace to its calls.
export function withPrograms(calls: readonly Summary[], programs: readonly Program[]): Traced {
  const known = new Set(calls.map((c) => c.call_id));
  const all: Summary[] = [...calls];
  const within = new Map<string, string>();
  const kinds = new Map<string, 'part' | 'sleep'>();
  const add = (id: string, tool: string, begin: string, end: string | undefined, status: string | undefined, error?: string) => {
    const state = end !== undefined || status !== undefined ? { state: 'done' as const, status: (status ?? 'success') as 'success' | 'error', ...(end && { ended_at: end }) } : { state: 'running' as const, status: 'pending' as const };
    known.add(id);
    all.push({ call_id: id, tool, since: begin, accepted_at: begin, ...state, ...(error && { error_type: error }) });
  };
  for (const p of programs) {
    if (!known.has(p.call_id)) add(p.call_id, p.tool, p.started_at, p.ended_at, p.status, p.error_type);
    const parts = new Map<string, Program['steps'][number][]>();
    for (const s of p.steps) {
      if (!known.has(s.call_id)) add(s.call_id, s.tool, s.started_at, s.ended_at ?? (s.state === 'done' ? p.ended_at : undefined), s.status, s.error_type);
      if (!s.name) continue;
      const own = parts.get(s.name);
      if (own) own.push(s);
      else parts.set(s.name, [s]);
    }
    [...parts].forEach(([name, own], i) => {
      const id = `${p.call_id}~#${i}`;
      kinds.set(id, 'part');
      for (const s of own) within.set(s.call_id, id);
      const ends = own.map((s) => s.ended_at ?? (s.state === 'done' ? p.ended_at : undefined));
      const end = ends.every((e) => e !== undefined) ? ends.reduce((a, b) => (Date.parse(a ?? '') > Date.parse(b ?? '') ? a : b)) : undefined;
      add(id, name, own.map((s) => s.started_at).reduce((a, b) => (Date.parse(a) < Date.parse(b) ? a : b)), end, end && (own.some((s) => s.status === 'error') ? 'error' : 'success'));
    });
    for (const s of p.sleeps ?? []) {
      const id = `${p.call_id}~sleep ${s.n}`;
      kinds.set(id, 'sleep');
      add(id, '', s.started_at, s.ended_at ?? (p.state === 'done' ? p.ended_at : undefined), s.ended_at || p.state === 'done' ? 'success' : undefined);
    }
  }
  return { calls: all, within, kinds };
}
