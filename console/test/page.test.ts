// Every request of a page has the secret of its origin.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { follow } from '../src/api/events';
import { acting, send } from '../src/api/client';
import type { Problem } from '../src/api/problem';
import { forget, page } from '../src/api/page';

test('the secret is random, stays, and goes with every request', async () => {
  const stored = new Map<string, string>();
  Object.assign(globalThis, { localStorage: { getItem: (k: string) => stored.get(k) ?? null, setItem: (k: string, v: string) => void stored.set(k, v), removeItem: (k: string) => void stored.delete(k) } });
  Object.defineProperty(globalThis, 'navigator', { value: { languages: ['de-AT', 'en'] }, configurable: true });
  const secret = page();
  assert.match(secret, /^[0-9a-f]{64}$/);
  assert.equal(page(), secret);
  assert.deepEqual([...stored.values()], [secret]);

  const sent: string[] = [];
  const shown: string[] = [];
  const ended = new AbortController();
  globalThis.fetch = async (url, init) => {
    assert.ok(!String(url).includes(secret));
    const headers = new Headers(init?.headers);
    sent.push(headers.get('Helve-Console') ?? '');
    shown.push(`${headers.get('Helve-Acting-As')} of ${headers.get('Helve-Tenant')} reads ${headers.get('Accept-Language')}`);
    return new Response('{}');
  };
  await send('GET', '/v1/me');
  await send('POST', '/v1/execute', {});
  await send('GET', '/v1/calls/c/result', undefined, { as: 'blob' });
  await follow('/v1/events', ended.signal, { message: () => undefined, connected: () => ended.abort() });
  assert.deepEqual(sent, [secret, secret, secret, secret]);

  // Whom the page shows goes with every request, but for the one that asks who that is.
  acting.value = { user: 'ann', tenant: 'acme' };
  shown.length = 0;
  await send('POST', '/v1/execute', {});
  await send('GET', '/v1/me', undefined, { whoever: true });
  acting.value = { user: '', tenant: 'acme' };
  await send('POST', '/v1/execute', {});
  assert.deepEqual(shown, ['ann of acme reads de', 'null of null reads de', ' of acme reads de']);
  globalThis.fetch = async () => new Response('{"error_type": "conflict", "detail": "no", "signed_in_as": "sam"}', { status: 409 });
  await assert.rejects(send('POST', '/v1/execute', {}), (err: Problem) => err.status === 409 && err.signedInAs === 'sam');
  acting.value = undefined;

  stored.set('helve.page', 'x'.repeat(64)); // by another tab
  assert.equal(page(), 'x'.repeat(64));
  forget();
  assert.notEqual(page(), secret);
  assert.notEqual(page(), 'x'.repeat(64));
});
