// Makes visible what a text from outside could hide: control, direction and invisible
// characters, and letters of other scripts that look like Latin ones.

export type Kind = 'control' | 'direction' | 'invisible' | 'lookalike';

export interface Piece {
  readonly text: string;
  // The character in text is not what it seems to be, or cannot be seen.
  readonly kind?: Kind;
}

// One character that is always marked. Line breaks and tabs are visible as they are.
const hidden =
  /(?<direction>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])|(?<control>(?![\n\t])\p{Cc}|[\ud800-\udfff])|(?<invisible>(?![\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])[\p{Cf}\p{Zl}\p{Zp}\p{Co}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?! )\p{Zs})/u;

// Letters that are drawn like a Latin letter, and forms of Latin letters and digits with
// a code of their own (full width, mathematical).
const confusable =
  /[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b3\u03b9\u03bd\u03bf\u03c1\u03c5\u03c7\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c-\u041e\u0420-\u0423\u0425\u0430\u0433\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0475\u04af\u04bb\u04cf\u0501\u051b\u051d\u0561\u0570\u0578\u057d\u0585\u13a0-\u13f4]/u;
const disguised = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}\u2100-\u214f\u24b6-\u24e9]/u;
const latin = /[A-Za-z0-9]/;

// pieces splits a text so that each hidden or look-alike character is a piece of its own.
export function pieces(text: string): Piece[] {
  const all: Piece[] = [];
  let plain = '';
  const mark = (char: string, kind: Kind) => {
    if (plain) all.push({ text: plain });
    plain = '';
    all.push({ text: char, kind });
  };
  for (const word of words(text)) {
    const mixed = latin.test(word);
    for (const char of word) {
      const kind = kindOf(char, mixed);
      if (kind) mark(char, kind);
      else plain += char;
    }
  }
  if (plain) all.push({ text: plain });
  return all;
}

// words splits a text at its blanks, which stay with the word before them: a letter of
// another script is suspicious only within a word that has Latin letters, too.
function words(text: string): string[] {
  return text.match(/\S*\s*/gu)?.filter(Boolean) ?? [];
}

function kindOf(char: string, mixed: boolean): Kind | undefined {
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) return undefined;
  const found = hidden.exec(char)?.groups;
  if (found) {
    if (found['direction'] !== undefined) return 'direction';
    return found['control'] !== undefined ? 'control' : 'invisible';
  }
  if (disguised.test(char) || (mixed && confusable.test(char))) return 'lookalike';
  return undefined;
}

// codeOf returns the code of a character as U+202E.
export function codeOf(char: string): string {
  return 'U+' + (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

// spelled returns a text for a place that holds no marks, such as a choice of a list: each
// character that pieces would mark is spelled by its code.
export function spelled(text: string): string {
  return pieces(text).map((p) => (!p.kind ? p.text : `${p.kind === 'lookalike' ? p.text : ''}[${codeOf(p.text)}]`)).join('');
}

// deceptive reports whether a text has anything that pieces would mark.
export function deceptive(text: string): boolean {
  return pieces(text).some((p) => p.kind);
}

export interface Cut {
  readonly head: string;
  readonly tail: string;
  // The number of characters between them; 0 if nothing was cut.
  readonly left: number;
}

// cut shortens a text in its middle, so that its end, where a command or a path often has
// its point, stays visible. It never splits a character.
export function cut(text: string, most: number): Cut {
  if (text.length <= most) return { head: text, tail: '', left: 0 };
  let start = Math.ceil((most * 2) / 3);
  let end = text.length - Math.floor(most / 3);
  if (isLow(text, start)) start--;
  if (isLow(text, end)) end++;
  return { head: text.slice(0, start), tail: text.slice(end), left: end - start };
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

// cutPieces is cut for a text that is in pieces.
export function cutPieces(all: readonly Piece[], most: number): { head: readonly Piece[]; tail: readonly Piece[]; left: number } {
  const length = all.reduce((n, p) => n + p.text.length, 0);
  if (length <= most) return { head: all, tail: [], left: 0 };
  const head: Piece[] = [];
  const tail: Piece[] = [];
  let [room, rest] = [Math.ceil((most * 2) / 3), Math.floor(most / 3)];
  for (const p of all) {
    if (room <= 0) break;
    const text = p.text.length <= room ? p.text : p.text.slice(0, isLow(p.text, room) ? room - 1 : room);
    head.push({ ...p, text });
    room -= p.text.length;
  }
  for (const p of all.toReversed()) {
    if (rest <= 0) break;
    const text = p.text.length <= rest ? p.text : p.text.slice(isLow(p.text, p.text.length - rest) ? p.text.length - rest + 1 : p.text.length - rest);
    tail.unshift({ ...p, text });
    rest -= p.text.length;
  }
  const shown = [...head, ...tail].reduce((n, p) => n + p.text.length, 0);
  return { head, tail, left: length - shown };
}
