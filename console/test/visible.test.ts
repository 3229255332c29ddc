import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, cut, cutPieces, deceptive, pieces, spelled } from '../src/lib/visible';

const marked = (text: string) => pieces(text).filter((p) => p.kind).map((p) => `${codeOf(p.text)} ${p.kind}`);

test('pieces marks what cannot be seen, and keeps every character', () => {
  const cases: [string, string[]][] = [
    ['plain text, äöü 日本語 привет\n\tok', []],
    ['a\u202eb', ['U+202E direction']],
    ['a\u2066b\u200f', ['U+2066 direction', 'U+200F direction']],
    ['a\u0000b\u001b[31m\u007f\u0085', ['U+0000 control', 'U+001B control', 'U+007F control', 'U+0085 control']],
    ['a\rb', ['U+000D control']],
    ['zero\u200bwidth\ufeff\u00ad', ['U+200B invisible', 'U+FEFF invisible', 'U+00AD invisible']],
    ['no\u00a0break\u2028line', ['U+00A0 invisible', 'U+2028 invisible']],
    ['tag\u{e0041}', ['U+E0041 invisible']],
    ['filler\u3164', ['U+3164 invisible']],
    ['half \ud800 pair', ['U+D800 control']],
    ['p\u0430ypal.com', ['U+0430 lookalike']],
    ['\u0430\u0440\u0440\u04cf\u0435.com', ['U+0430 lookalike', 'U+0440 lookalike', 'U+0440 lookalike', 'U+04CF lookalike', 'U+0435 lookalike']],
    ['\uff41dmin \u{1d41a}', ['U+FF41 lookalike', 'U+1D41A lookalike']],
    ['слово и word', []],
  ];
  for (const [text, want] of cases) {
    assert.deepEqual(marked(text), want, JSON.stringify(text));
    assert.equal(pieces(text).map((p) => p.text).join(''), text);
    assert.equal(deceptive(text), want.length > 0);
  }
});

test('cut keeps both ends and splits no character', () => {
  assert.deepEqual(cut('short', 10), { head: 'short', tail: '', left: 0 });
  const long = 'a'.repeat(100) + 'END';
  const c = cut(long, 30);
  assert.equal(c.head.length + c.tail.length + c.left, long.length);
  assert.ok(c.tail.endsWith('END'));
  for (let most = 3; most < 40; most++) {
    const { head, tail, left } = cut('😀'.repeat(30), most);
    assert.ok((head + tail).isWellFormed(), String(most));
    assert.equal(head.length + tail.length + left, 60);
  }
});

test('cutPieces cuts as cut does, and keeps marks', () => {
  const all = pieces('x'.repeat(500) + '\u202e' + 'y'.repeat(500) + '\u200b');
  const { head, tail, left } = cutPieces(all, 90);
  assert.equal(head.map((p) => p.text).join(''), 'x'.repeat(60));
  assert.equal(tail.at(-1)?.kind, 'invisible');
  assert.equal(left, 1002 - 90);
  assert.equal(cutPieces(all, 2000).left, 0);
});

test('spelled has every marked character as its code', () => {
  assert.equal(spelled('pay\u202epal p\u0430ypal \u0000 äöü'), 'pay[U+202E]pal p\u0430[U+0430]ypal [U+0000] äöü');
});
