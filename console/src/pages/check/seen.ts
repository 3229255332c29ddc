// What a person has seen of the findings since they last looked by themselves, so that the
// page can say what is new and what is over.

import type { Schemas } from '../../api/client';
import { rank } from './order';

type Finding = Schemas['Finding'];

export interface Seen {
  // What the finding is about: the same for as long as it lasts.
  readonly id: string;
  readonly finding: Finding;
  // It came, or ended, after the person's first look.
  readonly mark: 'new' | 'over' | undefined;
}

// What is over stays where it was, so that nothing that a person reads or points at
// vanishes; of those that come and go, only so many.
const mostOver = 20;

// follow returns the findings as they now are, the worst first. Those of before keep their
// order, and new ones come after the others of their level. Without any before, none is new.
export function follow(before: readonly Seen[], findings: readonly Finding[]): readonly Seen[] {
  const gone = new Map(before.map((s) => [s.id, s]));
  const place = new Map(before.map((s, i) => [s.id, i]));
  const now = named(findings).map(([id, finding]): Seen => {
    const was = gone.get(id);
    gone.delete(id);
    const isNew = was ? was.mark !== undefined : before.length > 0 && finding.level !== 'ok';
    return { id, finding, mark: isNew ? 'new' : undefined };
  });
  const over = [...gone.values()].filter((s) => s.finding.level !== 'ok').slice(-mostOver).map((s): Seen => ({ ...s, mark: 'over' }));
  const at = (s: Seen) => place.get(s.id) ?? place.size;
  return [...now, ...over].sort((a, b) => rank(a.finding) - rank(b.finding) || at(a) - at(b));
}

// named gives each finding an identity. Several that are about the same are numbered, as
// those of an older server, which does not say what they are about.
function named(findings: readonly Finding[]): readonly (readonly [string, Finding])[] {
  const times = new Map<string, number>();
  return findings.map((f) => {
    const name = JSON.stringify([f.part, f.level, f.runbook, f.subject]);
    const n = times.get(name) ?? 0;
    times.set(name, n + 1);
    return [`${name}${n}`, f];
  });
}

// partsOf returns the parts of the findings with a mark, each once.
export function partsOf(seen: readonly Seen[], mark: Seen['mark']): readonly string[] {
  return [...new Set(seen.filter((s) => s.mark === mark).map((s) => s.finding.part))];
}
