import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Summary } from '../src/pages/calls/list';
import { withPrograms } from '../src/pages/calls/parts';
import { waterfall } from '../src/pages/calls/waterfall';
import { chunk, folds, lineOf, perLine } from '../src/pages/programs/fold';
import { timeline } from '../src/pages/programs/rows';
import type { Program } from '../src/pages/programs/use';

const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();
const none = new Set<string>();

const step = (n: number, begin: number, end?: number, more: object = {}) => ({
  n, call_id: `p~${n}`, tool: 'echo', line: n, state: end === undefined ? 'running' : 'done', ...(end === undefined ? {} : { status: 'success', ended_at: at(end) }), started_at: at(begin), ...more,
});
const program = (more: object) => ({ call_id: 'p', tool: 'run_program', state: 'waiting', trace_id: 't', started_at: at(0), deadline: at(9e9), log: [], steps: [], ...more }) as unknown as Program;

test('blank lines are folded, and of a long source what matters is shown', () => {
  const short = (lines: readonly string[], marked: readonly number[] = []) => folds(lines, marked, []).map((f) => `${f.kind} ${f.from}-${f.to}`);
  assert.deepEqual(short(['a', '', ' ', '\t', 'b']), ['lines 0-5']);
  assert.deepEqual(short(['a', ...Array<string>(10_000).fill('  '), 'b']), ['lines 0-1', 'blank 1-10001', 'lines 10001-10002']);
  assert.deepEqual(short(Array<string>(5000).fill('')), ['blank 0-5000']);
  const long = Array.from({ length: 10_000 }, (_, i) => `x${i}`);
  assert.deepEqual(short(long, [6001]), ['lines 0-250', 'more 250-5985', 'lines 5985-6016', 'more 6016-9950', 'lines 9950-10000']);
  assert.deepEqual(folds(long, [], [[250, 250 + chunk]])[0], { from: 0, to: 750, kind: 'lines' });
  // A marked line is shown, also among blank ones.
  assert.deepEqual(short(['a', ...Array<string>(20).fill(''), 'b'], [11]), ['lines 0-1', 'blank 1-10', 'lines 10-11', 'blank 11-21', 'lines 21-22']);
});

test('tokens are divided by lines, and joined they are the code', () => {
  const lines = perLine([{ text: 'a\n', kind: 'x' }, { text: '/* b\n c */' }, { text: '\n' }]);
  assert.deepEqual(lines.map((l) => l.map((p) => p.text).join('')), ['a', '/* b', ' c */', '']);
  assert.equal(lineOf('Error: no (line 12, column 3)'), 12);
  assert.equal(lineOf('the deadline is over'), 0);
});

test('the timeline has steps, sleeps and parts in their order, and what waits', () => {
  const p = program({
    steps: [step(1, 0, 10), step(2, 10, 20, { name: 'mail' }), step(3, 12, 40, { name: 'mail', status: 'error', error_type: 'timeout' }), step(4, 30, undefined, { tool: 'ask_user' })],
    sleeps: [{ n: 1, line: 9, started_at: at(35), until: at(5000) }], waiting_for: [{ kind: 'answer', call_id: 'p~4', consent_id: 'c-1' }, { kind: 'sleep', until: at(5000) }],
  });
  const { rows, total, ticks } = timeline(p, Date.parse(at(100)), none);
  assert.deepEqual(rows.map((r) => `${r.kind} ${r.key} ${r.status}${r.waits ? ' waits' : ''} ${Math.round(r.left)}+${Math.round(r.width)}`), [
    'step p~1 success 0+10', 'part part mail error 10+30', 'step p~2 success 10+10', 'step p~3 error 12+28', 'step p~4 awaiting_consent waits 30+70', 'sleep sleep 1 waiting waits 35+65',
  ]);
  assert.equal(total, 100);
  assert.ok(ticks.length >= 4);
  assert.deepEqual(timeline(p, Date.parse(at(100)), new Set(['mail'])).rows.map((r) => r.key), ['p~1', 'part mail', 'p~4', 'sleep 1']);
  assert.deepEqual(timeline(program({ state: 'done', status: 'success', ended_at: at(50), steps: [step(1, 0, undefined, { state: 'done' })] }), 0, none).rows.map((r) => [r.status, r.took]), [['', 50]]);
});

test('2,000 steps are placed quickly, and clocks that differ give no bar outside of the axis', () => {
  const p = program({ steps: Array.from({ length: 2000 }, (_, i) => step(i + 1, i - 5, i + 3, { name: `part ${i % 7}` })) });
  const { rows } = timeline(p, Date.parse(at(3000)), none);
  assert.equal(rows.length, 2007);
  assert.ok(rows.every((r) => r.left >= 0 && r.left <= 99.5 && r.took >= 0));
});

test('a trace has the parts, sleeps and forgotten steps of its programs, nested ones below their step', () => {
  const call = (id: string, begin: number, end: number) => ({ call_id: id, tool: 'echo', since: at(begin), state: 'done', status: 'success', ended_at: at(end), duration_ms: end - begin }) as unknown as Summary;
  const outer = program({ steps: [step(1, 5, 10), step(2, 20, 60, { tool: 'run_program', name: 'inner' })], sleeps: [{ n: 1, line: 2, started_at: at(10), until: at(20), ended_at: at(20) }] });
  const inner = program({ call_id: 'p~2', state: 'done', status: 'success', ended_at: at(60), parent: 'p', steps: [{ ...step(1, 30, 40), call_id: 'p~2~1' }] });
  const { calls, within, kinds } = withPrograms([call('other', 1, 2)], [inner, outer]);
  const { bars } = waterfall(calls, Date.parse(at(100)), within);
  assert.deepEqual(bars.map((b) => `${b.call.call_id} ${b.depth}`), ['p 0', 'p~1 1', 'p~sleep 1 1', 'p~#0 1', 'p~2 2', 'p~2~1 3', 'other 0']);
  assert.deepEqual([...kinds], [['p~#0', 'part'], ['p~sleep 1', 'sleep']]);
  assert.equal(bars.find((b) => b.call.call_id === 'p')?.call.state, 'running');
});
