import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '../src/pages/audit/export';
import { newestFirst, queryOf, seals, type Entry } from '../src/pages/audit/query';
import { keysOf } from '../src/pages/audit/key';

const record = (id: string, more: Partial<Entry> = {}): Entry => ({ audit_id: id, phase: 'finished', tenant: 't', time: '2026-01-01T00:00:00.000500Z', ...more });

test('the filters of an address become those of the API', () => {
  assert.deepEqual(queryOf({ tool: 'debug.echo', phase: 'refused' }, 50), { tool: 'debug.echo', phase: 'refused', newest: 'true', limit: 50 });
});

test('the records of a page are the newest first', () => {
  assert.deepEqual(newestFirst([record('b', { seq: 5 }), record('c', { seq: 5, part: 1 }), record('d', { seq: 9 })]).map((r) => r.audit_id), ['d', 'c', 'b']);
});

test('seals counts every record once', () => {
  assert.deepEqual(seals([record('a', { sealed: true }), record('b', { sealed: false }), record('c', { problem: 'changed', sealed: false }), record('d')]), { all: 4, sealed: 1, open: 2, wrong: 1 });
});

test('collect reads to the end, or to its bound', async () => {
  const page = (cursor: string) => Promise.resolve(cursor === '2' ? { lines: ['c'] } : { lines: [cursor || 'a'], next: String(Number(cursor) + 1) });
  assert.deepEqual(await collect(page, 9), { lines: ['a', '1', 'c'], all: true });
  assert.deepEqual(await collect(page, 2), { lines: ['a', '1'], all: false });
});

test('the keys of the seals are named as the seals name them', async () => {
  const pem = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n-----END PUBLIC KEY-----';
  assert.deepEqual(await keysOf(`${pem}\n${pem}\n`), [{ pem, id: '630dcd2966c43366' }, { pem, id: '630dcd2966c43366' }]);
  assert.deepEqual(await keysOf('nothing'), []);
});
