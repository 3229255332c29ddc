import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainOf, unescaped } from '../src/lib/preview';

test('unescaped reads what the server escaped, and marks what it wrote as a code', () => {
  const of = (text: string) => unescaped(text).map((p) => (p.kind ? `<${p.kind}>` : p.text)).join('');
  assert.equal(of('a\\\\b\\nc'), 'a\\b\nc');
  assert.equal(of('x \\u202e y \\u0000'), 'x <direction> y <control>');
  assert.equal(of('not an escape \\\\u202e'), 'not an escape \\u202e');
  assert.equal(of('accent \\u0301'), 'accent <invisible>');
  assert.equal(of('ends in \\'), 'ends in \\');
  assert.equal(of('\\u12'), 'u12');
  assert.equal(of('p\u0430y'), 'p<lookalike>y');
});

test('plainOf writes codes into code that is highlighted', () => {
  assert.equal(plainOf(unescaped('a \\u202e p\u0430y')), 'a [U+202E] p\u0430y');
});
