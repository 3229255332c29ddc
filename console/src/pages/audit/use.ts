// Reading the trail: the newest records once, older ones when a person wants them.

import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { beyond, joined, queryOf, type Entry, type Filters } from './query';

const [size, most] = [100, 1000];
// A record is shown with its seal some seconds after it was written.
const pace = 5000;

interface Older {
  readonly key: string;
  readonly records: readonly Entry[];
  readonly end: boolean;
  readonly problem?: Problem;
}

export interface Trail {
  readonly records: readonly Entry[] | undefined;
  readonly live: Live<Schemas['AuditPage']>;
  readonly more: boolean;
  readonly problem: Problem | undefined;
  readonly showMore: () => void;
}

export function useTrail(chosen: Filters): Trail {
  const key = JSON.stringify(chosen);
  // A trace or a call comes from its beginning; it is short, so that one page is all of it.
  const whole = !!chosen.trace_id || !!chosen.call_id;
  const live = useLive<Schemas['AuditPage']>(`audit ${key}`, (signal) => api.get('/v1/audit', { query: queryOf(chosen, whole ? most : size), signal }), pace);
  const [older, setOlder] = useState<Older>({ key, records: [], end: false });
  useEffect(() => setOlder({ key, records: [], end: false }), [key]);
  const current = older.key === key ? older : { key, records: [], end: false };
  const records = live.data && joined(live.data.records, current.records);
  const showMore = () => {
    const to = beyond(records ?? []);
    if (!to) return;
    api.get('/v1/audit', { query: queryOf({ ...chosen, to }, size) }).then((page) => {
      setOlder((o) => {
        if (o.key !== key) return o;
        const all = joined(page.records, o.records);
        return { key, records: all, end: page.records.length < size || all.length === o.records.length };
      });
    }, (err) => setOlder((o) => ({ ...o, problem: asProblem(err) })));
  };
  return { records, live, more: !whole && !current.end && (live.data?.records.length ?? 0) >= size, problem: older.problem, showMore };
}
