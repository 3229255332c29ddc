// The list of calls: the newest page is read again and again, older ones once.

import { useEffect, useState } from 'preact/hooks';
import { api, type Query, type Schemas } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { asProblem, type Problem } from '../../api/problem';

export type Summary = Schemas['CallSummary'];

export const filters = ['q', 'tool', 'status', 'state', 'user', 'agent', 'conversation', 'pool', 'trace_id', 'from', 'to'] as const;
export type Filters = { readonly [F in (typeof filters)[number]]?: string };

// There is no stream of all calls, which would be one message for each call of a system;
// a look each two seconds at one page is bounded.
const pace = 2000;
// A search looks into arguments and results, which costs the dispatcher some requests for
// each call.
const searchPace = 15_000;
const size = 100;

interface Older {
  readonly key: string;
  readonly calls: readonly Summary[];
  // Whether an older page was read; a search may find nothing on it.
  readonly read?: boolean;
  readonly next: string | undefined;
  readonly problem?: Problem;
}

export interface Calls {
  readonly calls: readonly Summary[] | undefined;
  readonly live: Live<Schemas['CallList']>;
  readonly more: boolean;
  readonly problem: Problem | undefined;
  readonly showMore: () => void;
}

function queryOf(chosen: Filters): Query<'/v1/calls'> {
  return { ...(chosen as Query<'/v1/calls'>), ...(chosen.q && { contents: 'true' as const }), limit: size };
}

export function useCalls(chosen: Filters): Calls {
  const key = JSON.stringify(chosen);
  const live = useLive(key, (signal) => api.get('/v1/calls', { query: queryOf(chosen), signal }), chosen.q ? searchPace : pace);
  const [older, setOlder] = useState<Older>({ key, calls: [], next: undefined });
  useEffect(() => setOlder({ key, calls: [], next: undefined }), [key]);
  const current = older.key === key ? older : undefined;
  const next = current?.read ? current.next : live.data?.next;
  const showMore = () => {
    if (!next) return;
    api.get('/v1/calls', { query: { ...queryOf(chosen), cursor: next } }).then((page) => {
      setOlder((o) => (o.key === key ? { key, calls: [...o.calls, ...page.calls], read: true, next: page.next } : o));
    }, (err) => setOlder((o) => ({ ...o, problem: asProblem(err) })));
  };
  return { calls: live.data && together(live.data.calls, current?.calls ?? []), live, more: !!next, problem: current?.problem, showMore };
}

// together joins the pages; a call that is on two of them is shown as the newer tells it.
export function together(newest: readonly Summary[], older: readonly Summary[]): Summary[] {
  const seen = new Set(newest.map((c) => c.call_id));
  return [...newest, ...older.filter((c) => !seen.has(c.call_id) && seen.add(c.call_id))];
}
