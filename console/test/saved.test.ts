import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forget, hrefOf, longest, most, save, saved, savedIn } from '../src/components/list/saved';

test('only saved filters are read, whatever is stored', () => {
  const good = { list: 'calls', name: 'slow <b>', filters: { tool: 'a', from: '1h' } };
  const bad = [
    null, 1, 'x', [], {}, { ...good, list: 'other' }, { ...good, list: '__proto__' }, { ...good, list: 'https://a.example' }, { ...good, name: '' }, { ...good, name: 7 },
    { ...good, name: 'n'.repeat(longest + 1) }, { ...good, filters: {} }, { ...good, filters: [] }, { ...good, filters: null }, { ...good, filters: { tool: 1 } },
    { ...good, filters: { 'x"><script>': 'a' } }, { ...good, filters: { tool: 'a'.repeat(1001) } },
  ];
  assert.deepEqual(savedIn(JSON.stringify([...bad, good])), [good]);
  for (const text of ['', '{', '{}', 'null', '"x"']) assert.deepEqual(savedIn(text), []);
  assert.equal(savedIn(JSON.stringify(Array.from({ length: 1000 }, () => good))).length, most);
});

test('filters are saved by list and name, so many and no more', () => {
  for (let i = 0; i < most; i++) assert.ok(save({ list: i % 2 ? 'calls' : 'inbox', name: `n${i}`, filters: { tool: 'a' } }));
  assert.ok(!save({ list: 'calls', name: 'one more', filters: { tool: 'a' } }));
  assert.ok(save({ list: 'calls', name: 'n1', filters: { tool: 'b' } }));
  assert.equal(saved('calls').find((s) => s.name === 'n1')?.filters['tool'], 'b');
  assert.equal(saved('audit').length, 0);
  forget({ list: 'inbox', name: 'n1', filters: {} });
  assert.equal(saved().length, most);
  forget({ list: 'calls', name: 'n1', filters: {} });
  assert.ok(save({ list: 'calls', name: 'one more', filters: { tool: 'a' } }));
});

test('saved filters lead to their list', () => {
  assert.deepEqual(hrefOf({ list: 'audit', name: 'x', filters: { text: 'a&b=c#d' } }), ['/audit?text=a%26b%3Dc%23d', '/audit']);
});
