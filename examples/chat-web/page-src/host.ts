// The chat page as the shared component of consents sees it.

import type { components } from '@helve/client';
import type { Host } from '../../../console/src/consent/host';
import { maxPicture } from '../../../console/src/consent/shown';
import { asked, helve, person, read } from './server';

export type Grant = components['schemas']['Grant'];

// remembered returns the answers of this person that are remembered.
export async function remembered(): Promise<readonly Grant[]> {
  return (await asked(helve.request('get', '/v1/grants'))).grants;
}

export async function forget(g: Grant): Promise<void> {
  await asked(helve.request('delete', '/v1/grants/{grant_id}', { path: { grant_id: g.grant_id } }));
}

export const host: Host = {
  may: (c) => (c.kind === 'account' || c.approver_only ? 'deny' : 'grant'),
  own: (by) => by === person.value,
  read: (c) => read(c.consent_id),
  decide(c, { decision, remember, neverAsk, comment, answer }) {
    return asked(helve.consents.decide(c.consent_id, {
      decision,
      ...(remember && { remember }),
      ...(neverAsk && { never_ask: true }),
      ...(comment?.trim() && { comment: comment.trim() }),
      ...(answer && { answer }),
    }));
  },
  async takeBack(c) {
    const made = (await remembered()).filter((g) => g.consent_id === c.consent_id);
    for (const g of made) await forget(g);
    return made.length > 0;
  },
  // The server sets this person as the user.
  async file(path, _user, signal) {
    const file = await helve.files.get(path, { signal });
    if (Number(file.headers.get('Content-Length')) <= maxPicture) return file.blob();
    await file.body?.cancel();
    return undefined;
  },
};
