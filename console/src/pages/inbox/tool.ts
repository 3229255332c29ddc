// Definitions of tools that requests are about, each read once.

import { useEffect, useState } from 'preact/hooks';
import { api, type Schemas } from '../../api/client';

const known = new Map<string, Promise<Schemas['ToolDetail'] | undefined>>();
const most = 500;

// useTool returns a tool's definition, undefined while it is not known.
export function useTool(name: string, user: string): Schemas['ToolDetail'] | undefined {
  const [tool, setTool] = useState<Schemas['ToolDetail']>();
  useEffect(() => {
    let over = false;
    const key = `${name} ${user}`;
    let asked = known.get(key);
    if (!asked) {
      if (known.size >= most) known.clear();
      asked = api.get('/v1/tools/{name}', { path: { name }, query: { user } }).catch(() => { known.delete(key); return undefined; });
      known.set(key, asked);
    }
    void asked.then((found) => { if (!over) setTool(found); });
    return () => { over = true; };
  }, [name, user]);
  return tool?.name === name ? tool : undefined;
}
