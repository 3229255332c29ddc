// The order of findings.

import type { Schemas } from '../../api/client';

type Finding = Schemas['Finding'];
export type Counts = Readonly<Record<Finding['level'], number>>;

const order = ['error', 'warning', 'ok'] as const;

// worstFirst returns the errors, then the warnings, then what is in order, each as found.
export function worstFirst(findings: readonly Finding[]): readonly Finding[] {
  return order.flatMap((level) => findings.filter((f) => f.level === level));
}

export function counts(findings: readonly Finding[]): Counts {
  const of = (level: Finding['level']) => findings.filter((f) => f.level === level).length;
  return { error: of('error'), warning: of('warning'), ok: of('ok') };
}
