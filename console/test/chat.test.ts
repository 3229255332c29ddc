import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, consentsOf, empty, type Entry } from '../../examples/chat-web/page-src/conversation';
import { target } from '../../examples/chat-web/page-src/markdown';

const call = (more: Partial<Entry>): Entry => ({ kind: 'tool', call: 'c1', tool: 't', ...more });

test('a call follows its events, and its outcome is final', () => {
  let c = empty;
  for (const state of ['queued', 'waiting', 'queued', 'running'] as const) {
    c = add(c, [call({ state })]);
    assert.deepEqual(c.items.map((i) => i.kind === 'call' && i.call.state), [state]);
  }
  c = add(c, [call({ state: 'running', text: '"half"' }), call({ state: 'failed' }), call({ state: 'queued' })]);
  assert.deepEqual(c.items, [{ kind: 'call', call: { id: 'c1', tool: 't', state: 'failed', progress: '"half"', consent: undefined } }]);
  c = add(c, [call({ kind: 'result', state: 'failed', error: 'timeout', text: 'Too slow.' }), call({ state: 'running' })]);
  assert.deepEqual(c.items, [{ kind: 'call', call: { id: 'c1', tool: 't', state: 'failed', progress: '"half"', consent: undefined, outcome: 'Too slow.', error: 'timeout' } }]);
});

test('an answer grows until something else is said', () => {
  const c = add(empty, [
    { kind: 'you', text: 'hi' }, { kind: 'text', text: 'a' }, call({ state: 'queued' }), { kind: 'text', text: 'b' }, call({ state: 'running' }),
    { kind: 'text', text: 'c' }, { kind: 'end' }, { kind: 'text', text: 'd' },
  ]);
  assert.deepEqual(c.items.map((i) => (i.kind === 'call' ? i.call.state : i.text)), ['hi', 'a', 'running', 'bc', 'd']);
  assert.equal(c.busy, false);
  assert.equal(add(empty, [{ kind: 'you', text: 'hi' }]).busy, true);
});

test('a call keeps the consent that it waits for', () => {
  const c = add(empty, [call({ state: 'waiting', consent: 'k1' }), { kind: 'tool', call: 'c2', tool: 't', state: 'queued' }]);
  for (const later of [call({ state: 'queued' }), call({ kind: 'result', state: 'done' })]) {
    assert.deepEqual([...consentsOf(add(c, [later]), [later])], ['k1']);
  }
  assert.deepEqual([...consentsOf(c, [{ kind: 'tool', call: 'c2' }, { kind: 'end' }])], []);
});

test('a link leads to a page or a mailbox only', () => {
  for (const href of ['https://a.example/x', 'HTTP://a.example', 'mailto:a@b.example']) assert.ok(target(href), href);
  for (const href of ['javascript:alert(1)', 'JaVaScript:1', ' javascript:1', 'java\tscript:1', 'data:text/html,x', '//a.example', 'file:///x', '/x', 'https://', 'vbscript:x', '']) {
    assert.equal(target(href), undefined, href);
  }
});
