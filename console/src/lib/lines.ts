// The difference between two texts, line by line.

import { diffLines } from 'diff';

export interface Line {
  readonly op: ' ' | '+' | '-' | '…';
  readonly text: string;
}

// compare returns the lines of both texts with what happened to them. Of unchanged lines
// it keeps `context` beside each change; what it leaves out is a line "…" with their
// number. Texts that differ too much are shown one after the other.
export function compare(before: string, after: string, context = 3): Line[] {
  const parts = diffLines(before, after, { maxEditLength: 2000 }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lines: Line[] = [];
  parts.forEach((part, i) => {
    const op = part.added ? '+' : part.removed ? '-' : ' ';
    const of = part.value.replace(/\n$/, '').split('\n').map((text): Line => ({ op, text }));
    if (op !== ' ') {
      lines.push(...of);
      return;
    }
    const head = i === 0 ? 0 : context;
    const tail = i === parts.length - 1 ? 0 : context;
    if (of.length <= head + tail + 1) {
      lines.push(...of);
      return;
    }
    lines.push(...of.slice(0, head), { op: '…', text: String(of.length - head - tail) }, ...(tail ? of.slice(-tail) : []));
  });
  return lines;
}
