// What the record of an agent says about a tool.

import type { Schemas } from '../../api/client';

interface Tool {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly group: string;
}

// The group that a bare * does not cover.
const diagnostics = 'diagnostics';

// allows reports whether an agent with this record may use the tool, as the server decides:
// it has what the record lists, without what it denies.
export function allows(agent: Schemas['Agent'], tool: Tool): boolean {
  const names = [tool.name, ...(tool.aliases ?? [])];
  const named = (pattern: string) => names.some((name) => matches(pattern, name));
  if (agent.deny.some((p) => p === tool.group || named(p))) return false;
  const covers = (p: string) => p !== '*' || tool.group !== diagnostics;
  return agent.tools.some((p) => covers(p) && named(p)) || agent.groups.some((p) => covers(p) && matches(p, tool.group));
}

// matches reports whether a name is the pattern, or begins with what is before its * at
// the end.
export function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
