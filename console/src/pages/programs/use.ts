// One program, kept current by the events of its trace.

import { useEffect, useRef } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { me } from '../../app/session';
import { useEvents } from '../calls/events';
import type { Call } from '../calls/use';

export type Program = Schemas['ProgramDetail'];

// A program with many steps has many events: it is read again at most so often. A look of somebody
// who oversees others is on the audit trail, so theirs are few.
const [pace, own, others] = [10_000, 1000, 10_000];

export function useProgram(id: string): Live<Program> {
  const over = useRef('');
  const live = useLive<Program>(`program ${id}`, async (signal) => {
    const p = await api.get('/v1/programs/{call_id}', { path: { call_id: id }, signal, exact: true });
    over.current = p.state === 'done' ? id : '';
    return p;
  }, over.current === id ? 0 : pace);
  const p = live.data;
  const open = p !== undefined && p.state !== 'done';
  const { events } = useEvents(open ? p.trace_id : '');
  const last = events.findLast((e) => (e.call_id === id || e.call_id.startsWith(`${id}~`)) && e.type !== 'progress' && e.type !== 'partial')?.id;
  const least = !me.value.user || p?.user === me.value.user ? own : others;
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => {
    if (!last || !open) return;
    timer.current ??= setTimeout(() => { timer.current = undefined; live.refresh(); }, least);
  }, [last]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return live;
}

// useResult reads the result of a program that has ended, once.
export function useResult(id: string, done: boolean): Live<Call | undefined> {
  return useLive<Call | undefined>(`program result ${id} ${done}`, async (signal) => (
    done ? api.get('/v1/calls/{call_id}', { path: { call_id: id }, query: { include: 'result' }, signal, exact: true }) : undefined));
}
