// Who allowed or denied calls of a conversation.

import { api } from '../../api/client';
import { useLive, type Live } from '../../api/live';
import { has, me } from '../../app/session';

export interface Verdict {
  readonly by: string;
  readonly granted: boolean;
}

export type Verdicts = ReadonlyMap<string, Verdict>;

const [most, pace] = [1000, 10_000];

// useVerdicts reads the verdicts by call: from the trail for those who may see it, which has them
// for ever, else from the person's own requests, which are kept for a while.
export function useVerdicts(conversation: string): Live<Verdicts> {
  const trail = has('auditor', 'admin');
  return useLive<Verdicts>(`verdicts ${conversation} ${trail}`, async (signal) => {
    if (trail) {
      const { records } = await api.get('/v1/audit', { query: { conversation, phase: 'consent_decided', newest: 'true', limit: most }, signal });
      return new Map(records.flatMap((r) => (r.call_id && r.by ? [[r.call_id, { by: r.by, granted: r.decision?.outcome === 'allowed' }] as const] : [])));
    }
    const { consents } = await api.get('/v1/consents', { query: { user: me.value.user, limit: most }, signal });
    return new Map(consents.flatMap((c) => (c.conversation === conversation && c.decision && (c.status === 'granted' || c.status === 'denied') ? [[c.call.call_id, { by: c.decision.by, granted: c.status === 'granted' }] as const] : [])));
  }, pace);
}
