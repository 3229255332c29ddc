// The order of findings.

import type { Schemas } from '../../api/client';

type Finding = Schemas['Finding'];
export type Counts = Readonly<Record<Finding['level'], number>>;

const order = ['error', 'warning', 'ok'] as const;

// rank orders errors before warnings, and these before what is in order.
export function rank(f: Finding): number {
  return order.indexOf(f.level);
}

export function counts(findings: readonly Finding[]): Counts {
  const of = (level: Finding['level']) => findings.filter((f) => f.level === level).length;
  return { error: of('error'), warning: of('warning'), ok: of('ok') };
}
