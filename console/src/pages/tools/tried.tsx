// The call that a person made, until it is done.

import { api, type Schemas } from '../../api/client';
import { useLive } from '../../api/live';
import { Status } from '../../components/badge';
import { Stale } from '../../components/failure';
import { Duration } from '../../components/time';
import { t } from '../../text';
import { Outcome } from '../calls/outcome';

export function Tried({ first }: { first: Schemas['Result'] }) {
  const over = first.status !== 'pending';
  // Asked each second until it is done: the events of a trace are for those who may see all
  // of it, and the caller may not.
  const live = useLive(first.call_id, (signal) => (over ? Promise.resolve(first) : api.get('/v1/calls/{call_id}', { path: { call_id: first.call_id }, signal, exact: true })), over ? 0 : 1000);
  const call = live.data ?? first;
  const done = call.status !== 'pending';
  const state = done ? call.status : call.state ?? 'pending';
  return (
    <div class="stack tools-tried">
      <p role="status"><Status of={state} /> {done && <Duration ms={call.duration_ms} />} <a href={`/calls/${encodeURIComponent(call.call_id)}`}>{t().tools.toCall}</a></p>
      <Stale problem={live.data && live.problem} />
      {!done && call.consent_id && <p class="tools-warning"><a href={`/consents/${encodeURIComponent(call.consent_id)}`}>{t().tools.waits}</a></p>}
      <Outcome of={done ? { ...call, state: 'done' } : call} />
    </div>
  );
}
