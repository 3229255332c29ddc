import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurn, knownAgents } from '../src/pages/agents/known';
import { namesIn, unknownIn } from '../src/pages/agents/sets';

test('namesIn takes names however they are separated, each once', () => {
  assert.deepEqual(namesIn(' a, b\n\nc\ta '), ['a', 'b', 'c']);
  assert.deepEqual(namesIn(' ,\n'), []);
});

test('unknownIn finds slips', () => {
  const rules = { tools: ['read_file', 'read_flie', 'read_*', 'x*'], groups: ['files', 'fields'], deny: ['files', 'read_file', 'web'] };
  assert.deepEqual(unknownIn(rules, ['read_file'], ['files']), ['read_flie', 'x*', 'fields', 'web']);
});

test('agents with rules and those of calls can be chosen, each once, and not without end', () => {
  assert.deepEqual(knownAgents([{ agent: 'b' }], [{ agent: 'c' }, {}, { agent: 'b' }, { agent: 'a' }]), ['a', 'b', 'c']);
  assert.equal(knownAgents(Array.from({ length: 500 }, (_, i) => ({ agent: `a${i}` })), []).length, 200);
});

test('items are worked on a few at a time, and none after the end', async () => {
  let [now, most] = [0, 0];
  const done: number[] = [];
  const over = new AbortController();
  await inTurn([1, 2, 3, 4, 5, 6, 7], 2, over.signal, async (n) => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    done.push(n);
    if (n === 4) over.abort();
  });
  assert.equal(most, 2);
  assert.ok(done.includes(4) && !done.includes(7));
});
