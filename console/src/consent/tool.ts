// The definition of the tool that a request is about.

import { useEffect, useState } from 'preact/hooks';
import type { Host, Tool } from './host';

// useTool returns a tool's definition, undefined while it is not known.
export function useTool(host: Host, name: string, user: string): Tool | undefined {
  const [tool, setTool] = useState<Tool>();
  useEffect(() => {
    let over = false;
    host.tool(name, user).then((found) => { if (!over) setTool(found); }, () => undefined);
    return () => { over = true; };
  }, [host, name, user]);
  return tool?.name === name ? tool : undefined;
}
