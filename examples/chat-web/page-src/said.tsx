// A text of the conversation. Characters that turn a text around, control a terminal or
// smuggle unseen words are marked; what people and models write on purpose is not: emoji of
// several characters, narrow blanks, letters of other scripts.

import { Pieces } from '../../../console/src/components/plain';
import { pieces, type Piece } from '../../../console/src/lib/visible';

const smuggled = /[\u200b\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/u;

export function Said({ text }: { text: string }) {
  return <Pieces of={pieces(text).map(meant)} />;
}

function meant(p: Piece): Piece {
  const deceives = p.kind === 'direction' || p.kind === 'control' || (p.kind === 'invisible' && smuggled.test(p.text));
  return deceives ? p : { text: p.text };
}
