import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { blocksOf, spansOf } from '../src/pages/check/blocks';

test('a runbook is titles, paragraphs and lists', () => {
  assert.deepEqual(blocksOf('# Name\n\n## Fix\n\nFirst `this`.\n\n- a\n- b - c\n\n1. x\n2. y\n'), [
    { kind: 'title', text: 'Fix' },
    { kind: 'text', text: 'First `this`.' },
    { kind: 'list', items: ['a', 'b - c'] },
    { kind: 'steps', items: ['x', 'y'] },
  ]);
});

test('links lead to other runbooks only', () => {
  assert.deepEqual(spansOf('Do `x`, follow [Y](HelveY.md) or [z](../z.md).'), [
    { text: 'Do ' }, { text: 'x', code: true }, { text: ', follow ' }, { text: 'Y', page: 'HelveY' }, { text: ' or ' }, { text: 'z' }, { text: '.' },
  ]);
});

test('every runbook has only what is shown as such', () => {
  const dir = '../docs/runbooks';
  const pages = readdirSync(dir).filter((f) => f.startsWith('Helve'));
  assert.ok(pages.length > 15);
  for (const page of pages) {
    const blocks = blocksOf(readFileSync(`${dir}/${page}`, 'utf8'));
    assert.deepEqual(blocks.filter((b) => b.kind === 'title').map((b) => 'text' in b && b.text).includes('Fix'), true, page);
    for (const text of blocks.flatMap((b) => ('text' in b ? [b.text] : b.items)).flatMap((x) => spansOf(x))) assert.ok(text.code || !/\*\*|```|^\||\]\(/m.test(text.text), `${page}: ${text.text}`);
  }
});
