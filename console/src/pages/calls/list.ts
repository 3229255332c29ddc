// The list of calls: its rows, filters and how it is read.

import { api, type Query, type Schemas } from '../../api/client';
import { wordOf } from '../../components/list/counts';
import type { Facet, Filters, Rows } from '../../components/list/definition';
import { usePages } from '../../components/list/pages';
import { t } from '../../text';

export type Summary = Schemas['CallSummary'];

export const filters = ['q', 'tool', 'status', 'state', 'error_type', 'user', 'agent', 'conversation', 'pool', 'worker', 'version', 'trace_id', 'from', 'to'] as const;

// There is no stream of all calls, which would be one message for each call of a system;
// a look each two seconds at one page is bounded.
const pace = 2000;
// A search looks into arguments and results, which costs the dispatcher some requests for
// each call.
const searchPace = 15_000;
const size = 100;

export function useCalls(chosen: Filters, may: boolean): Rows<Summary> {
  const query = { ...(chosen as Query<'/v1/calls'>), ...(chosen['q'] && { contents: 'true' as const }), limit: size };
  return usePages<Summary>({
    name: 'calls', key: JSON.stringify([chosen, may]), idOf: (c) => c.call_id, pace: !may ? 0 : chosen['q'] ? searchPace : pace, auto: !chosen['q'],
    load: async (cursor, signal) => {
      if (!may) return { rows: [] };
      const page = await api.get('/v1/calls', { query: { ...query, ...(cursor && { cursor }) }, ...(signal && { signal }) });
      return { rows: page.calls, next: page.next };
    },
  });
}

// stateOf returns the state of a call as the filter names it: success and error are states of a
// call that is done.
export function stateOf(c: Summary): string {
  return c.state === 'done' ? c.status : c.state;
}

const states = ['queued', 'running', 'awaiting_consent', 'waiting'];

// facetsOf returns what calls are filtered by.
export function facetsOf(): readonly Facet<Summary>[] {
  const name = '[A-Za-z0-9_\\-]{1,64}';
  const text = t().calls;
  return [
    {
      name: 'state', label: text.state, valueOf: stateOf, word: (v) => wordOf(t().status, v), choices: [...states, 'success', 'error'],
      chosen: (f) => f['state'] ?? f['status'] ?? '', set: (v) => (states.includes(v) ? { state: v, status: '' } : { state: '', status: v }),
    },
    { name: 'error_type', label: text.errorType, valueOf: (c) => c.error_type ?? '', pattern: '[a-z_]{1,64}' },
    { name: 'tool', label: text.tool, valueOf: (c) => c.tool, pattern: '[a-zA-Z][a-zA-Z0-9_.]{0,63}' },
    { name: 'agent', label: text.agent, valueOf: (c) => c.agent ?? '', pattern: name },
    { name: 'user', label: text.user, valueOf: (c) => c.user ?? '', pattern: name },
    { name: 'conversation', label: text.conversation, valueOf: (c) => c.conversation ?? '', pattern: name },
    { name: 'pool', label: text.pool, valueOf: (c) => c.pool ?? '', pattern: name },
    { name: 'worker', label: text.worker, valueOf: (c) => c.worker ?? '', pattern: name },
    { name: 'version', label: text.version, valueOf: (c) => c.tool_version ?? '', pattern: '[^\\s]{1,64}' },
    { name: 'trace_id', label: text.trace, valueOf: (c) => c.trace_id ?? '', pattern: '[0-9a-f]{32}' },
  ];
}
