// Deciding, and taking back what was remembered.

import { api, type Schemas } from '../../api/client';
import { actor, has, me } from '../../app/session';

export type Consent = Schemas['Consent'];

export interface Choice {
  readonly decision: 'grant' | 'deny';
  readonly remember?: 'once' | 'session' | 'always';
  readonly neverAsk?: boolean;
  readonly comment?: string;
  readonly answer?: Record<string, unknown>;
}

// speaker names the person, where no credential does.
function speaker(user: string): { by?: string } {
  return me.value.user ? {} : { by: actor.value || user };
}

export function decide(c: Consent, choice: Choice): Promise<Consent> {
  return api.post('/v1/consents/{consent_id}/decision', {
    path: { consent_id: c.consent_id },
    body: {
      ...speaker(c.user),
      decision: choice.decision,
      ...(choice.remember ? { remember: choice.remember } : {}),
      ...(choice.neverAsk ? { never_ask: true } : {}),
      ...(choice.comment?.trim() ? { comment: choice.comment.trim() } : {}),
      ...(choice.answer ? { answer: choice.answer } : {}),
    },
  });
}

// remembers reports whether a decision outlives its call.
export function remembers(c: Consent): boolean {
  const d = c.decision;
  return !!d && (!!d.never_ask || (d.status === 'granted' && !!d.remember && d.remember !== 'once'));
}

// takeBack revokes what a decision made remembered, and reports whether there was any.
export async function takeBack(c: Consent): Promise<boolean> {
  const { grants } = await api.get('/v1/grants', { query: { user: c.user } });
  const made = grants.filter((g) => g.consent_id === c.consent_id);
  const by = speaker(c.user).by;
  for (const g of made) await api.delete('/v1/grants/{grant_id}', { path: { grant_id: g.grant_id }, query: by ? { by } : {} });
  return made.length > 0;
}

// mayTakeBack reports whether this person may revoke what a decision made remembered.
export function mayTakeBack(c: Consent): boolean {
  return me.value.user === '' ? has('user', 'approver', 'admin') : (has('user') && me.value.user === c.user) || has('approver', 'admin');
}

// seesCall reports whether this person may see the call that a request is about.
export function seesCall(c: Consent): boolean {
  return me.value.user === '' || me.value.user === c.user || has('auditor', 'admin');
}

export type May = 'grant' | 'deny' | 'nothing';

// may returns what this person may decide: to grant, only to deny, or nothing. The server
// decides; this spares people buttons that fail.
export function may(c: Consent): May {
  const own = me.value.user === '' ? has('user', 'approver') : (has('user') && me.value.user === c.user) || has('approver');
  if (!own || me.value.agent !== undefined && me.value.agent === c.agent) return 'nothing';
  return (c.approver_only && !has('approver')) || c.kind === 'account' ? 'deny' : 'grant';
}

// terms returns how long a grant may be remembered.
export function terms(c: Consent): readonly ('once' | 'session' | 'always')[] {
  if (c.risk === 'high' || c.approver_only || c.kind === 'question') return ['once'];
  return c.conversation ? ['once', 'session', 'always'] : ['once', 'always'];
}
