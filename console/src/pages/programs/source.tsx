// The source of a program, with the lines that it waits in.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Plain } from '../../components/plain';
import { t } from '../../text';
import { chunk, folds, perLine, type Fold, type Range } from './fold';

interface Props {
  readonly code: string;
  readonly waits: ReadonlySet<number>;
  // The line in which it failed, 0 for none.
  readonly failed: number;
}

// A longer line is cut, and has no colours; a longer source has none either.
const [longLine, mostHighlighted] = [400, 100_000];

let grammars: typeof import('../../components/highlight') | undefined;

export function Source({ code, waits, failed }: Props) {
  const lines = useMemo(() => code.replace(/\n+$/, '').split('\n').map((l) => l.replace(/\r$/, '')), [code]);
  const [open, setOpen] = useState<readonly Range[]>([]);
  const [ready, setReady] = useState(grammars !== undefined);
  useEffect(() => {
    if (!grammars) import('../../components/highlight').then((m) => { grammars = m; setReady(true); }, () => undefined);
  }, []);
  const tokens = useMemo(() => (ready && grammars && code.length <= mostHighlighted ? perLine(grammars.tokens(lines.join('\n'), 'javascript')) : undefined), [lines, ready]);
  const marked = [...waits, ...(failed ? [failed] : [])].sort((a, b) => a - b);
  const box = useRef<HTMLDivElement>(null);
  const at = marked[0] ?? 0;
  useLayoutEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('.marked');
    if (box.current && row) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 3;
  }, [at]);
  const line = (i: number) => {
    const [text, n] = [lines[i] ?? '', i + 1];
    const own = text.length <= longLine ? tokens?.[i] : undefined;
    const word = waits.has(n) ? t().programs.waitsHere : n === failed ? t().programs.failedHere : '';
    return (
      <li key={i} value={n} class={waits.has(n) ? 'marked here' : n === failed ? 'marked failed' : undefined}>
        <span class="programs-no" aria-hidden="true">{n}</span>
        <code>{own ? own.map((p, k) => (p.kind ? <span key={k} class={`t-${p.kind}`}><Plain text={p.text} /></span> : <Plain key={k} text={p.text} />)) : <Plain text={text} most={longLine} />}</code>
        {word && <span class="programs-mark">{word}</span>}
      </li>
    );
  };
  const show = (f: Fold) => setOpen((o) => [...o, [f.from, Math.min(f.to, f.from + chunk)]]);
  return (
    <section class="stack" aria-labelledby="source">
      <h2 id="source">{t().programs.source}</h2>
      <div ref={box} class="code programs-source" tabIndex={0} role="group" aria-labelledby="source">
        <ol>
          {folds(lines, marked, open).flatMap((f) => (f.kind === 'lines'
            ? Array.from({ length: f.to - f.from }, (_, i) => line(f.from + i))
            : [<li key={`fold ${f.from}`} class="programs-fold"><button type="button" class="cut" onClick={() => show(f)}>{t().programs[f.kind === 'blank' ? 'blankLines' : 'moreLines'](f.to - f.from)}</button></li>]))}
        </ol>
      </div>
    </section>
  );
}
