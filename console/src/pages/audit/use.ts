// Reading the trail: the newest records once, older ones when a person wants them.

import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';
import { joined, queryOf, type Entry, type Filters } from './query';

const [size, most] = [100, 1000];
// A record is shown with its seal some seconds after it was written.
const pace = 5000;

interface Older {
  readonly key: string;
  readonly records: readonly Entry[];
  // Where the next older page ends; undefined before the first one, '' after the last.
  readonly before: string | undefined;
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
  const [older, setOlder] = useState<Older>({ key, records: [], before: undefined });
  useEffect(() => setOlder({ key, records: [], before: undefined }), [key]);
  const current = older.key === key ? older : { key, records: [], before: undefined };
  const records = live.data && joined(live.data.records, current.records);
  const before = current.before ?? live.data?.older;
  const showMore = () => {
    if (!before) return;
    api.get('/v1/audit', { query: { ...queryOf(chosen, size), before } }).then((page) => {
      setOlder((o) => (o.key === key ? { key, records: joined(page.records, o.records), before: page.older ?? '' } : o));
    }, (err) => setOlder((o) => ({ ...o, problem: asProblem(err) })));
  };
  return { records, live, more: !whole && !!before, problem: older.problem, showMore };
}
