// The difference between two texts, line by line, readable without colour.

import { useMemo } from 'preact/hooks';
import { compare } from '../lib/lines';
import { t } from '../text';
import { Plain } from './plain';

const longLine = 400;

export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => compare(before, after), [before, after]);
  const changed = lines.filter((l) => l.op === '+' || l.op === '-').length;
  if (changed === 0) return <p class="faint">{t().plain.same}</p>;
  return (
    <pre class="diff" tabIndex={0} role="group" aria-label={label}>
      {lines.map((l, i) => (
        <div key={i} class={{ '+': 'added', '-': 'removed', '…': 'gap', ' ': undefined }[l.op]}>
          {l.op === '…' ? t().plain.sameLines(Number(l.text)) : <><span class="op">{l.op}<span class="sr">{l.op === '+' ? t().plain.added : l.op === '-' ? t().plain.removed : ''}</span></span><Plain text={l.text} most={longLine} /></>}
        </div>
      ))}
    </pre>
  );
}
