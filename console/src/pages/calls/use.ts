// One call, kept current by the events of its trace.

import { useEffect, useState } from 'preact/hooks';
import { api, type Answer } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { has } from '../../app/session';
import { useEvents, type Event, type Stream } from './events';
import type { Summary } from './list';

export type Call = Answer<'/v1/calls/{call_id}'>;

// Events tell of every step. A look now and then is for an event that was lost; each look
// of somebody who oversees others is on the audit trail, so they are few.
const pace = 10_000;

export interface OneCall {
  readonly live: Live<Call>;
  readonly events: readonly Event[];
  readonly stream: Stream;
  readonly done: boolean;
}

// useCall reads a call until it is done. The trace, if it is known, saves waiting for it.
export function useCall(id: string, knownTrace = ''): OneCall {
  const [done, setDone] = useState('');
  const live = useLive<Call>(`call ${id}`, async (signal) => {
    const call = await api.get('/v1/calls/{call_id}', { path: { call_id: id }, query: { include: 'arguments,steps,result' }, signal, exact: true });
    setDone(call.state === 'done' ? id : '');
    return call;
  }, done === id ? 0 : pace);
  const stream = useEvents(live.data?.trace_id ?? knownTrace);
  const events = stream.events.filter((e) => e.call_id === id);
  const steps = events.filter((e) => e.type !== 'progress' && e.type !== 'log' && e.type !== 'partial').length;
  useEffect(() => { if (steps > 0 && done !== id) live.refresh(); }, [steps]);
  return { live, events, stream, done: done === id };
}

// useSummary reads what lists have of a call and its page has not: its conversation, pool and
// version. Nested calls are in no list.
export function useSummary(id: string, trace: string, done: boolean, known: Summary | undefined): Summary | undefined {
  const search = !known && trace !== '' && has('user', 'auditor', 'admin');
  const live = useLive<Summary | undefined>(`summary ${id} ${search} ${done}`, async (signal) => {
    if (!search) return undefined;
    const { calls } = await api.get('/v1/calls', { query: { trace_id: trace, q: id, limit: 1000 }, signal });
    return calls.find((c) => c.call_id === id);
  });
  return known ?? live.data;
}
