// Every request of a page has the secret of its origin.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow } from '../src/api/events';
import { send } from '../src/api/client';
import { forget, page } from '../src/api/page';

test('the secret is random, stays, and goes with every request', async () => {
  const stored = new Map<string, string>();
  Object.assign(globalThis, { localStorage: { getItem: (k: string) => stored.get(k) ?? null, setItem: (k: string, v: string) => void stored.set(k, v), removeItem: (k: string) => void stored.delete(k) } });
  const secret = page();
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.equal(page(), secret);
  assert.deepEqual([...stored.values()], [secret]);

  const sent: string[] = [];
  const ended = new AbortController();
  globalThis.fetch = async (url, init) => {
    assert.ok(!String(url).includes(secret));
    sent.push(new Headers(init?.headers).get('Helve-Console') ?? '');
    return new Response('{}');
  };
  await send('GET', '/v1/me');
  await send('POST', '/v1/execute', {});
  await send('GET', '/v1/calls/c/result', undefined, { as: 'blob' });
  await follow('/v1/events', ended.signal, { message: () => undefined, connected: () => ended.abort() });
  assert.deepEqual(sent, [secret, secret, secret, secret]);

  stored.set('helve.page', 'x'.repeat(64)); // by another tab
  assert.equal(page(), 'x'.repeat(64));
  forget();
  assert.notEqual(page(), secret);
  assert.notEqual(page(), 'x'.repeat(64));
});
