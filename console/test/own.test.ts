import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Summary } from '../src/pages/calls/list';
import { totalsOf } from '../src/pages/conversations/totals';
import { textOf } from '../src/pages/files/transfer';

const call = (of: Partial<Summary>): Summary => ({ call_id: 'c', tool: 't', state: 'done', status: 'success', accepted_at: '2026-11-20T12:00:00Z', since: '2026-11-20T12:00:00Z', ...of });

test('a conversation lasts from its first acceptance to its last end', () => {
  const totals = totalsOf([
    call({ user: 'ann', agent: 'x', ended_at: '2026-11-20T12:00:09Z', duration_ms: 1500 }),
    call({ user: 'ann', accepted_at: '2026-11-20T12:00:02Z', ended_at: '2026-11-20T12:00:05Z', duration_ms: 500 }),
  ], Date.parse('2026-11-20T13:00:00Z'));
  assert.deepEqual(totals, { span: 9000, ran: 2000, users: ['ann'], agents: ['x'] });
});

test('a call that is not done lasts until now', () => {
  assert.equal(totalsOf([call({ state: 'running', status: 'pending' })], Date.parse('2026-11-20T12:01:00Z')).span, 60_000);
});

test('bytes are text if they are UTF-8 without NUL, also cut within a character', () => {
  const bytes = (...of: number[]) => new Uint8Array(of).buffer;
  assert.equal(textOf(bytes(0x61, 0xc3, 0xa9)), 'aé');
  assert.equal(textOf(bytes(0x61, 0xc3)), 'a');
  assert.equal(textOf(bytes()), '');
  assert.equal(textOf(bytes(0xff, 0xfe)), undefined);
  assert.equal(textOf(bytes(0x61, 0)), undefined);
});
