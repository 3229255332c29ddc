// Deciding in the console, and taking back what was remembered.

import { api, identity, urlOf } from '../../api/client';
import { actor, has, me } from '../../app/session';
import { placeOf } from '../../components/linked';
import type { Choice, Consent, Host, May } from '../../consent/host';
import { maxPicture } from '../../consent/shown';
import { settled } from '../../push/device';

// speaker names the person, where no credential does.
function speaker(user: string): { by?: string } {
  return me.value.user ? {} : { by: actor.value || user };
}

export async function decide(c: Consent, choice: Choice): Promise<Consent> {
  const decided = await api.post('/v1/consents/{consent_id}/decision', {
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
  void settled(c.consent_id);
  return decided;
}

// takeBack revokes what a decision made remembered, and reports whether there was any.
async function takeBack(c: Consent): Promise<boolean> {
  const { grants } = await api.get('/v1/grants', { query: { user: c.user } });
  const made = grants.filter((g) => g.consent_id === c.consent_id);
  const by = speaker(c.user).by;
  for (const g of made) await api.delete('/v1/grants/{grant_id}', { path: { grant_id: g.grant_id }, query: by ? { by } : {} });
  return made.length > 0;
}

// mayTakeBack reports whether this person may revoke what a decision made remembered.
function mayTakeBack(c: Consent): boolean {
  return me.value.user === '' ? has('user', 'approver', 'admin') : (has('user') && me.value.user === c.user) || has('approver', 'admin');
}

// seesCall reports whether this person may see the call that a request is about.
function seesCall(c: Consent): boolean {
  return me.value.user === '' || me.value.user === c.user || has('auditor', 'admin');
}

// may returns what this person may decide: to grant, only to deny, or nothing. The server
// decides; this spares people buttons that fail.
export function may(c: Consent): May {
  const own = me.value.user === '' ? has('user', 'approver') : (has('user') && me.value.user === c.user) || has('approver');
  if (!own || me.value.agent !== undefined && me.value.agent === c.agent) return 'nothing';
  return (c.approver_only && !has('approver')) || c.kind === 'account' ? 'deny' : 'grant';
}

// connects reports whether an account that is connected will be this person's own.
function connects(c: Consent): boolean {
  return me.value.user === '' || me.value.user === c.user;
}

// fileOf reads a file of a workspace, unless it is too large. What it does not read is
// cancelled, since it would hold a connection.
async function fileOf(path: string, user: string, signal: AbortSignal): Promise<Blob | undefined> {
  const at = urlOf(`/v1/files/${path.split('/').map(encodeURIComponent).join('/')}`, {}, { user });
  const res = await fetch(at, { signal, credentials: 'same-origin', headers: identity() });
  if (res.ok && Number(res.headers.get('Content-Length')) <= maxPicture) return res.blob();
  await res.body?.cancel();
  return undefined;
}

// host is the console as the shared component of consents sees it.
export const host: Host = {
  may, decide, takeBack, mayTakeBack, connects,
  own: (by, c) => by === (me.value.user || actor.value || c.user),
  read: (c) => api.get('/v1/consents/{consent_id}', { path: { consent_id: c.consent_id }, query: { user: c.user } }),
  file: fileOf,
  programPage: (c) => (c.program && seesCall(c) ? `/programs/${encodeURIComponent(c.program.call_id)}` : undefined),
  callPage: (c) => (seesCall(c) ? `/calls/${encodeURIComponent(c.call.call_id)}` : undefined),
  tracePage: (id) => placeOf('trace', id),
  namePage: placeOf,
};
