// How much waits for the person, beside the links of the navigation. One small request of each
// console, which shows the server nothing that the trail would record as a look.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, tenant, type Schemas } from '../api/client';
import { useLive } from '../api/live';
import { has, me } from './session';

const pace = 30_000;

export const counts = signal<Schemas['Counts']>({});

// useCounts reads the counts while the page is visible, and again when another page is opened.
export function useCounts(path: string): void {
  const may = has('user', 'approver', 'auditor', 'admin');
  const whose = `${me.value.tenant} ${tenant.value} ${me.value.user}`;
  const live = useLive(`counts ${whose} ${path}`, async (signal) => (may ? api.get('/v1/counts', { signal }) : {}), pace);
  useEffect(() => { if (live.data) counts.value = live.data; }, [live.data]);
  useEffect(() => () => { counts.value = {}; }, [whose]);
}

// waiting returns what waits on the page at a path.
export function waiting(path: string): number {
  const c = counts.value;
  switch (path) {
    // Whoever decides for others sees the requests of all.
    case '/': return (has('approver') || !me.value.user ? c.consents : undefined) ?? c.own ?? 0;
    case '/programs': return c.programs ?? 0;
    case '/check': return c.findings ? c.findings.errors + c.findings.warnings : 0;
    case '/dead': return c.dead ?? 0;
    case '/upstream': return c.upstream ?? 0;
    default: return 0;
  }
}
