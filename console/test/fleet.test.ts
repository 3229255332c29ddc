import assert from 'node:assert/strict';
import { test } from 'node:test';
import { height, latest, path, rows, top, width, type Series } from '../src/pages/fleet/scale';

test('top is a round number that no value exceeds', () => {
  for (const [values, want] of [[[], 1], [[null, 0], 1], [[0.03], 0.05], [[1], 1], [[1.1, 7], 10], [[200, null], 200], [[201], 500]] as const) {
    assert.ok(Math.abs(top(values) - want) < 1e-9, `${values}: ${top(values)}`);
  }
});

test('path stays within the chart, and is broken where nothing is known', () => {
  assert.equal(path([0, 5, 10], 10), `M0 ${height}L${width / 2} ${height / 2}L${width} 0`);
  assert.equal(path([0, null, 10, 10], 10), `M0 ${height}h100M400 0L${width} 0`);
  assert.equal(path([20, 20], 10), `M0 0L${width} 0`);
  assert.equal(path([null, null], 1), '');
});

test('rows are means and maxima, the newest first', () => {
  const s = { name: '', success: [1, 2, 3, 6, 8], error: [0, 0, 0, 1, 0], p50_ms: [null, 1, null, null, 5], p99_ms: [9, 2, null, null, 7] } as unknown as Series;
  assert.deepEqual(rows(['a', 'b', 'c', 'd', 'e'], s, 3), [
    { from: 'd', to: 'e', success: 7, error: 0.5, p50: 5, p99: 7 },
    { from: 'b', to: 'c', success: 2.5, error: 0, p50: 1, p99: 2 },
    { from: 'a', to: 'a', success: 1, error: 0, p50: null, p99: 9 },
  ]);
  assert.equal(latest([1, 3, null]), 3);
  assert.equal(latest([null]), null);
});
