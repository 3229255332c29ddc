// A JSON value, highlighted, with long strings and lists cut and the whole on demand.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Digits } from '../lib/exact';
import { unescaped } from '../lib/preview';
import { cut } from '../lib/visible';
import { t } from '../text';
import { Pieces, Plain } from './plain';

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
  return <pre class="json" tabIndex={0} role={label ? 'region' : undefined} aria-label={label}><Value value={value} depth={0} escaped={escaped} /></pre>;
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
        <>
          {indent}
          {open === '{' && <><span class="name">"{escaped ? <Pieces of={unescaped(name)} /> : <Plain text={name} most={longString} />}"</span>: </>}
          <Value value={v} depth={depth + 1} escaped={escaped} />
          {i < of.length - 1 && ','}
        </>
      ))}
      {of.length > shown && <>{indent}<button type="button" class="cut" onClick={() => setShown(shown * 10)}>{t().plain.more(of.length - shown)}</button></>}
      {'\n' + '  '.repeat(depth)}{close}
    </>
  );
}

function Text({ text, escaped }: { text: string; escaped: boolean }) {
  const [whole, setWhole] = useState(false);
  if (!escaped) return <span class="string">"<Plain text={text} most={longString} />"</span>;
  const { head, tail, left } = whole ? { head: text, tail: '', left: 0 } : cut(text, longString);
  return (
    <span class="string">
      "<bdi class="plain"><Pieces of={unescaped(head)} /></bdi>
      {left > 0 && <button type="button" class="cut" onClick={() => setWhole(true)}>{t().plain.left(left)}</button>}
      {tail && <bdi class="plain"><Pieces of={unescaped(tail)} /></bdi>}"
    </span>
  );
}
