// Reading the trail: the newest records again and again, older ones when a person wants them.

import { api } from '../../api/client';
import type { Rows } from '../../components/list/definition';
import { usePages } from '../../components/list/pages';
import { newestFirst, queryOf, type Entry, type Filters } from './query';

const [size, most] = [100, 1000];
// A record is shown with its seal some seconds after it was written.
const pace = 5000;

export function useTrail(chosen: Filters): Rows<Entry> {
  // A trace or a call is short, so that one page is all of it.
  const whole = !!chosen.trace_id || !!chosen.call_id;
  return usePages<Entry>({
    name: 'audit', key: JSON.stringify(chosen), idOf: (r) => r.audit_id, pace, auto: !chosen.text,
    load: async (before, signal) => {
      const page = await api.get('/v1/audit', { query: { ...queryOf(chosen, whole ? most : size), ...(before && { before }) }, ...(signal && { signal }) });
      return { rows: newestFirst(page.records), next: whole ? undefined : page.older };
    },
  });
}
