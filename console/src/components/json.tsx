// A JSON value, highlighted, with long strings and lists cut and the whole on demand.

import { Fragment, type ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Digits } from '../lib/exact';
import { unescaped } from '../lib/preview';
import { cutPieces, pieces, type Piece } from '../lib/visible';
import { t } from '../text';
import { Pieces } from './plain';

interface Props {
  readonly value: unknown;
  // The strings are those of a consent's arguments, which the server has escaped.
  readonly escaped?: boolean;
  readonly label?: string;
}

// Items of a list or members of an object that are shown at first, characters of a string,
// and levels.
const [firstItems, longString, deepest] = [50, 400, 60];

export function Json({ value, escaped = false, label }: Props) {
  return <pre class="json" tabIndex={0} role={label ? 'group' : undefined} aria-label={label}><Value value={value} depth={0} escaped={escaped} /></pre>;
}

function Value({ value, depth, escaped }: { value: unknown; depth: number; escaped: boolean }): ComponentChildren {
  if (value instanceof Digits) return <span class="number">{value.source}</span>;
  if (typeof value === 'number') return <span class="number">{String(value)}</span>;
  if (typeof value === 'string') return <Text text={value} escaped={escaped} />;
  if (typeof value !== 'object' || value === null) return <span class="word">{String(value)}</span>;
  if (depth >= deepest) return <span class="word">…</span>;
  return Array.isArray(value)
    ? <Items open="[" close="]" depth={depth} escaped={escaped} of={value.map((v: unknown) => ['', v] as const)} />
    : <Items open="{" close="}" depth={depth} escaped={escaped} of={Object.entries(value)} />;
}

function Items({ open, close, of, depth, escaped }: { open: string; close: string; of: readonly (readonly [string, unknown])[]; depth: number; escaped: boolean }) {
  const [shown, setShown] = useState(firstItems);
  if (of.length === 0) return <>{open + close}</>;
  const indent = '\n' + '  '.repeat(depth + 1);
  return (
    <>
      {open}
      {of.slice(0, shown).map(([name, v], i) => (
        <Fragment key={i}>
          {indent}
          {open === '{' && <><span class="name">"<Pieces of={cutPieces(quoted(escaped ? unescaped(name) : pieces(name)), longString).head} />"</span>: </>}
          <Value value={v} depth={depth + 1} escaped={escaped} />
          {i < of.length - 1 && ','}
        </Fragment>
      ))}
      {of.length > shown && <>{indent}<button type="button" class="cut" onClick={() => setShown(shown * 10)}>{t().plain.more(of.length - shown)}</button></>}
      {'\n' + '  '.repeat(depth)}{close}
    </>
  );
}

// Text is a string as JSON writes it: its quotes and backslashes are escaped, and one of
// several lines is set apart, so that none can pass for the structure around it.
function Text({ text, escaped }: { text: string; escaped: boolean }) {
  const [whole, setWhole] = useState(false);
  const all = useMemo(() => quoted(escaped ? unescaped(text) : pieces(text)), [text, escaped]);
  const { head, tail, left } = whole ? { head: all, tail: [], left: 0 } : cutPieces(all, longString);
  const lines = all.some((p) => p.text.includes('\n'));
  return (
    <span class={lines ? 'string lines' : 'string'}>
      "<bdi class="plain"><Pieces of={head} /></bdi>
      {left > 0 && <button type="button" class="cut" onClick={() => setWhole(true)}>{t().plain.left(left)}</button>}
      {tail.length > 0 && <bdi class="plain"><Pieces of={tail} /></bdi>}"
    </span>
  );
}

function quoted(all: readonly Piece[]): Piece[] {
  return all.map((p) => (p.kind ? p : { text: p.text.replace(/["\\]/g, '\\$&') }));
}
