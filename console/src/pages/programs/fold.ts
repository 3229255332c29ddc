// Which lines of a source are shown: blank ones in a row are folded, and of a long source its
// beginning, its end and what lies around the marked lines are shown. Nobody can hide a line from
// a reader by writing ten thousand others before it.

export interface Fold {
  // The first line, from 0, and the one after the last.
  readonly from: number;
  readonly to: number;
  readonly kind: 'lines' | 'blank' | 'more';
}

export type Range = readonly [from: number, to: number];

// More blank lines in a row than `blank` are folded. A source of more lines than `all` has its
// first `head`, its last `tail` and `around` lines before and after each marked one.
const [blank, all, head, tail, around] = [3, 400, 250, 50, 15];

// So many lines are shown when a person opens a fold.
export const chunk = 500;

// folds divides lines into those that are shown and those that are not. Marked lines count
// from 1, as people count.
export function folds(lines: readonly string[], marked: Iterable<number>, open: readonly Range[]): readonly Fold[] {
  const kinds: Fold['kind'][] = lines.map((_, i) => (lines.length <= all || i < head || i >= lines.length - tail ? 'lines' : 'more'));
  const show = (from: number, to: number) => kinds.fill('lines', Math.max(0, from), Math.max(0, to));
  const known = [...marked];
  for (const n of known) show(n - 1 - around, n + around);
  for (let from = 0; from < lines.length; from++) {
    let to = from;
    while (to < lines.length && lines[to]?.trim() === '') to++;
    if (to - from > blank) kinds.fill('blank', from, to);
    from = Math.max(from, to);
  }
  for (const n of known) show(n - 1, n);
  for (const [from, to] of open) show(from, to);
  const found: { from: number; to: number; kind: Fold['kind'] }[] = [];
  kinds.forEach((kind, i) => {
    const last = found.at(-1);
    if (last?.kind === kind) last.to = i + 1;
    else found.push({ from: i, to: i + 1, kind });
  });
  return found;
}

// perLine divides tokens at the ends of lines.
export function perLine<T extends { readonly text: string }>(tokens: readonly T[]): T[][] {
  const lines: T[][] = [[]];
  for (const token of tokens) {
    token.text.split('\n').forEach((text, i) => {
      if (i > 0) lines.push([]);
      if (text) lines.at(-1)?.push({ ...token, text });
    });
  }
  return lines;
}

// lineOf returns the line of the code that a message of a failed program names, 0 for none.
export function lineOf(message: string | undefined): number {
  return Number(/\bline (\d{1,7})\b/.exec(message ?? '')?.[1] ?? 0);
}
