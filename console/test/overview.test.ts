import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schemas } from '../src/api/client';
import { alone } from '../src/components/plot';
import { largest, rows, shown } from '../src/pages/overview/rows';

const s = {
  name: '', success: [1, 2, 3, 6, 8], error: [0, 0, 0, 1, 0], p50_ms: [null, 1, null, null, 5], p99_ms: [9, 2, null, null, 7], backlog: [0, 0, 4, 0, 0],
  busy: [1, 1, 1, 2, 1], slots: [4, 4, 4, 4, 4],
};
const times = ['a', 'b', 'c', 'd', 'e'];

test('what is not known is null, of all pools and of one', () => {
  const data = { step_seconds: 60, since: 'a', times, known: [false, true, true, true, true], total: s, pools: [{ ...s, name: 'p', success: [0, 0, 0, 0, 1] }] } as unknown as Schemas['MetricsHistory'];
  assert.deepEqual(shown(data, '').success, [null, 2, 3, 6, 8]);
  assert.deepEqual(shown(data, '').busy[0], null);
  assert.deepEqual(shown(data, 'p').success, [null, 0, 0, 0, 1]);
  assert.deepEqual(shown(data, 'gone').success, [null, 2, 3, 6, 8]);
});

test('rows are means of rates and maxima of the rest, the newest first, without gaps', () => {
  const { success, error, backlog, busy, slots } = s;
  const row = (to: string, ...v: readonly (number | null)[]) => ({ to, success: v[0], error: v[1], p50: v[2], p99: v[3], backlog: v[4], busy: v[5], slots: v[6] });
  assert.deepEqual(rows(times, { success, error, p50: s.p50_ms, p99: s.p99_ms, backlog, busy, slots }, 3), [
    row('e', 7, 0.5, 5, 7, 0, 2, 4), row('c', 2.5, 0, 1, 2, 4, 1, 4), row('a', 1, 0, null, 9, 0, 1, 4),
  ]);
  const gap = [null, null, null, 6, null];
  assert.deepEqual(rows(times, { success: gap, error: gap, p50: gap, p99: gap, backlog: gap, busy: gap, slots: gap }, 3).map((r) => r.to), ['e']);
  assert.equal(largest([null]), null);
});

test('a value that no line goes through is a point', () => {
  assert.deepEqual(alone([1, null, 2, 3, null, 4]), [0, 5]);
  assert.deepEqual(alone([null, undefined]), []);
  assert.deepEqual(alone([5]), [0]);
});
