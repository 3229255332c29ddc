import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schemas } from '../src/api/client';
import { csvOf, decidersOf, decisionsOf } from '../src/pages/decisions/report';

const at = (s: number) => new Date(1_800_000_000_000 + s * 1000).toISOString();
const record = (phase: string, consent: string, s: number, more: object = {}) => ({ audit_id: `${phase}-${consent}-${s}`, phase, consent_id: consent, time: at(s), tenant: 'd', ...more }) as unknown as Schemas['AuditRecord'];
const decided = [
  record('consent_decided', 'a', 30, { by: 'ann', user: 'sam', tool: '=cmd', call_id: 'c1', decision: { outcome: 'allowed', reason: 'granted by ann: "go"' } }),
  record('consent_decided', 'b', 90, { by: 'ann', decision: { outcome: 'blocked' } }),
  record('consent_decided', 'c', 60, { by: 'bob', decision: { outcome: 'allowed' } }),
];

test('a decision is as fast as the time since its first request', () => {
  const list = decisionsOf(decided, [record('consent_requested', 'a', 20), record('consent_requested', 'a', 10), record('consent_requested', 'b', 80)]);
  assert.deepEqual(list.map((d) => [d.by, d.allowed, d.waited]), [['ann', false, 10_000], ['bob', true, undefined], ['ann', true, 20_000]]);
  assert.deepEqual(decidersOf(list), [{ by: 'ann', all: 2, allowed: 1, median: 10_000 }, { by: 'bob', all: 1, allowed: 1, median: undefined }]);
});

test('a spreadsheet runs nothing of the file', () => {
  const lines = csvOf(decisionsOf(decided, [record('consent_requested', 'a', 20)])).split('\r\n');
  assert.equal(lines.length, 5);
  assert.equal(lines[3], `"${at(30)}","ann","allowed","10","sam","","'=cmd","c1","granted by ann: ""go"""`);
});
