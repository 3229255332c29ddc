// Sets of names, as people write them.

import { matches } from '../tools/rules';

// namesIn returns the names in a text, which are separated by commas, spaces or lines, each
// once.
export function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/u).filter((name) => name !== ''))];
}

// Rules are the names that an agent's record has.
export interface Rules {
  readonly tools: readonly string[];
  readonly groups: readonly string[];
  readonly deny: readonly string[];
}

// unknownIn returns the names of rules that match none of the tools or groups.
export function unknownIn(rules: Rules, tools: readonly string[], groups: readonly string[]): string[] {
  const none = (of: readonly string[]) => (pattern: string) => !of.some((name) => matches(pattern, name));
  return [...rules.tools.filter(none(tools)), ...rules.groups.filter(none(groups)), ...rules.deny.filter(none([...tools, ...groups]))];
}
