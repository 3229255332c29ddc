// Definitions of tools that requests are about, each read once.

import { api, type Schemas } from '../../api/client';

const known = new Map<string, Promise<Schemas['ToolDetail'] | undefined>>();
const most = 500;

// toolOf returns a tool's definition, undefined if it cannot be read.
export function toolOf(name: string, user: string): Promise<Schemas['ToolDetail'] | undefined> {
  const key = `${name} ${user}`;
  const asked = known.get(key);
  if (asked) return asked;
  if (known.size >= most) known.clear();
  const asking = api.get('/v1/tools/{name}', { path: { name }, query: { user } }).catch(() => { known.delete(key); return undefined; });
  known.set(key, asking);
  return asking;
}
