// The chat page as the shared component of consents sees it.

import type { Host, Tool } from '../../../console/src/consent/host';
import { get, person, post, read, type Grant } from './server';

const known = new Map<string, Promise<Tool | undefined>>();

// remembered returns the answers of this person that are remembered.
export async function remembered(): Promise<readonly Grant[]> {
  return (await get<{ grants: readonly Grant[] | null }>('grants')).grants ?? [];
}

export function forget(g: Grant): Promise<void> {
  return post('forget', { grant: g.grant_id });
}

export const host: Host = {
  may: (c) => (c.kind === 'account' || c.approver_only ? 'deny' : 'grant'),
  own: (by) => by === person.value,
  read,
  async decide(c, choice) {
    const { decision, ...more } = choice;
    await post('decide', { consent: c.consent_id, grant: decision === 'grant', ...more, comment: choice.comment?.trim() });
    return read(c);
  },
  async takeBack(c) {
    const made = (await remembered()).filter((g) => g.consent_id === c.consent_id);
    for (const g of made) await forget(g);
    return made.length > 0;
  },
  tool(name, user) {
    const key = `${user} ${name}`;
    const asked = known.get(key) ?? get<Tool>('tool', { name }).catch(() => { known.delete(key); return undefined; });
    known.set(key, asked);
    return asked;
  },
};
