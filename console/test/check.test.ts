import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Schemas } from '../src/api/client';
import { blocksOf, spansOf } from '../src/pages/check/blocks';
import { counts } from '../src/pages/check/order';
import { follow, partsOf, type Seen } from '../src/pages/check/seen';

type Finding = Schemas['Finding'];

const finding = (level: Finding['level'], part: string, subject: string, message = ''): Finding => ({ level, part, subject, message });
const shown = (seen: readonly Seen[]) => seen.map((s) => [s.finding.part, s.finding.subject, s.mark ?? ''].join(' '));

test('findings: the worst first', () => {
  const found = (['ok', 'error', 'warning', 'ok'] as const).map((level, i) => finding(level, String(i), ''));
  const seen = follow([], found);
  assert.deepEqual(seen.map((s) => [s.finding.part, s.mark]), [['1', undefined], ['2', undefined], ['0', undefined], ['3', undefined]]);
  assert.deepEqual(counts(found), { ok: 2, warning: 1, error: 1 });
});

test('what comes and goes is marked where it is, and nothing else moves', () => {
  const first = follow([], [finding('ok', 'nats', '', '1 ms'), finding('warning', 'pools', 'a', '3 wait'), finding('error', 'streams', 's'), finding('warning', 'pools', 'b')]);
  assert.deepEqual(shown(first), ['streams s ', 'pools a ', 'pools b ', 'nats  ']);
  const second = follow(first, [finding('ok', 'nats', '', '2 ms'), finding('warning', 'circuits', 'c'), finding('warning', 'pools', 'b'), finding('error', 'streams', 's')]);
  assert.deepEqual(shown(second), ['streams s ', 'pools a over', 'pools b ', 'circuits c new', 'nats  ']);
  assert.equal(second[4]?.finding.message, '2 ms');
  assert.equal(second[1]?.finding.message, '3 wait');
  assert.deepEqual([partsOf(second, 'new'), partsOf(second, 'over')], [['circuits'], ['pools']]);
  const third = follow(second, [finding('ok', 'nats', ''), finding('ok', 'circuits', ''), finding('warning', 'pools', 'b'), finding('warning', 'pools', 'a')]);
  assert.deepEqual(shown(third), ['streams s over', 'pools a new', 'pools b ', 'circuits c over', 'nats  ', 'circuits  ']);
  assert.deepEqual(new Set(third.map((s) => s.id)).size, third.length);
});

test('findings that do not say what they are about are told apart by their number', () => {
  const old = (...messages: string[]) => messages.map((message): Finding => ({ level: 'warning', part: 'pools', message }));
  const seen = follow(follow([], old('a', 'b')), old('a', 'b', 'c'));
  assert.deepEqual(seen.map((s) => [s.finding.message, s.mark]), [['a', undefined], ['b', undefined], ['c', 'new']]);
  assert.equal(new Set(seen.map((s) => s.id)).size, 3);
});

test('of what is over only so much stays', () => {
  const many = Array.from({ length: 100 }, (_, i) => finding('warning', 'circuits', `s${i}`));
  const rest = follow(follow([], many), [finding('ok', 'circuits', '')]);
  assert.equal(rest.length, 21);
  assert.equal(rest[19]?.finding.subject, 's99');
});

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
