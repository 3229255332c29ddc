// The order of the tools, by how their calls went.

import type { Schemas } from '../../api/client';

export const orders = ['name', 'calls', 'errors', 'time'] as const;
export type Order = (typeof orders)[number];
export type Stats = ReadonlyMap<string, Schemas['ToolStat']>;

// ordered returns the tools in an order. Those that are equal in it, and those without calls,
// stay in the order of the server.
export function ordered(tools: readonly Schemas['Tool'][], stats: Stats | undefined, order: Order): readonly Schemas['Tool'][] {
  if (order === 'name' || !stats) return tools;
  const by = (s: Schemas['ToolStat'] | undefined) => (!s ? -1 : order === 'calls' ? s.calls : order === 'errors' ? s.errors : s.p99_ms);
  return [...tools].sort((a, b) => by(stats.get(b.name)) - by(stats.get(a.name)));
}
