// Reads the strings of a consent's arguments. The server has doubled their backslashes and
// written what is not plainly visible as \uXXXX, so that no value can pass for another.

import { Digits } from './exact';
import { codeOf, pieces, type Piece } from './visible';

// unescaped returns the pieces of such a string: line breaks and tabs as they are, every
// other escaped character marked.
export function unescaped(text: string): Piece[] {
  const all: Piece[] = [];
  let plain = '';
  const flush = () => {
    if (plain) all.push(...pieces(plain));
    plain = '';
  };
  for (let i = 0; i < text.length; i++) {
    const next = text[i + 1];
    if (text[i] !== '\\' || next === undefined) {
      plain += text[i];
      continue;
    }
    const code = /^[0-9a-f]{4}$/i.exec(text.slice(i + 2, i + 6))?.[0];
    if (next === 'u' && code) {
      flush();
      const char = String.fromCharCode(parseInt(code, 16));
      const [found] = pieces(char);
      all.push({ text: char, kind: found?.kind ?? 'invisible' });
      i += 5;
      continue;
    }
    i++;
    plain += { n: '\n', t: '\t', r: '\r' }[next] ?? next;
  }
  flush();
  return all;
}

// plainOf returns the string with its marked characters as [U+XXXX], for code that is
// highlighted.
export function plainOf(all: readonly Piece[]): string {
  return all.map((p) => (p.kind && p.kind !== 'lookalike' ? `[${codeOf(p.text)}]` : p.text)).join('');
}

// readable undoes the escapes of a consent's arguments.
export function readable(value: unknown): unknown {
  if (typeof value === 'string') return plainOf(unescaped(value));
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null || value instanceof Digits) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [plainOf(unescaped(k)), readable(v)]));
}
