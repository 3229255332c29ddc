// What the record of an agent says about a tool.

import type { Schemas } from '../../api/client';

// ruleOf returns whether the record denies the tool, names it or its group, or neither.
// What is denied stays denied, whatever else is named.
export function ruleOf(agent: Schemas['Agent'], tool: { readonly name: string; readonly group: string }): 'denied' | 'allowed' | 'no' {
  if (agent.deny.includes(tool.name) || agent.deny.includes(tool.group)) return 'denied';
  return agent.tools.includes(tool.name) || agent.groups.includes(tool.group) ? 'allowed' : 'no';
}
