// Text from outside: what tools, models and people wrote. It is shown as text, with every
// character that deceives or cannot be seen marked, and long texts cut in the middle.

import { useState } from 'preact/hooks';
import { codeOf, cut, pieces, type Piece } from '../lib/visible';
import { t } from '../text';

// Plain shows a text. It is cut to `most` characters (0: never), with the whole on demand.
export function Plain({ text, most = 0 }: { text: string; most?: number }) {
  const [whole, setWhole] = useState(false);
  const { head, tail, left } = most > 0 && !whole ? cut(text, most) : { head: text, tail: '', left: 0 };
  return (
    <bdi class="plain">
      <Pieces of={pieces(head)} />
      {left > 0 && <button type="button" class="cut" onClick={() => setWhole(true)}>{t().plain.left(left)}</button>}
      {tail && <Pieces of={pieces(tail)} />}
      {whole && <button type="button" class="cut" onClick={() => setWhole(false)}>{t().plain.less}</button>}
    </bdi>
  );
}

// Short shows a text within a link or a button, where nothing else can be pressed: a long one
// is cut for good.
export function Short({ text, most }: { text: string; most: number }) {
  const { head, tail, left } = cut(text, most);
  return <bdi class="plain"><Pieces of={pieces(head)} />{left > 0 && '…'}{tail && <Pieces of={pieces(tail)} />}</bdi>;
}

// Pieces shows pieces of a text that was looked at before.
export function Pieces({ of }: { of: readonly Piece[] }) {
  return <>{of.map((p, i) => (p.kind ? <Marked key={i} piece={p} /> : p.text))}</>;
}

function Marked({ piece: { text, kind } }: { piece: Piece }) {
  if (!kind) return <>{text}</>;
  const code = codeOf(text);
  const title = `${code}: ${t().plain.kinds[kind]}`;
  // A look-alike letter is shown, since it may be meant; what cannot be seen is not.
  return <mark class={`mark ${kind}`} title={title}>{kind === 'lookalike' ? <>{text}<span class="sr"> ({title})</span></> : code}</mark>;
}
