import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetsOf } from '../src/app/targets';
import { bucketsOf, countsOf, groupsOf, localRows } from '../src/components/list/counts';
import { ofCall } from '../src/components/list/outcome';
import { merged } from '../src/components/list/pages';
import { localOf, momentOf, spanOf, utcOf, yesterday } from '../src/components/list/period';
import { viewOf } from '../src/components/list/view';

test('of a long list few rows are drawn, and always those on the screen', () => {
  for (const rows of [0, 1, 59, 100, 1000, 100_000]) {
    for (let above = -500; above < rows * 30; above += 1 + Math.floor(rows / 7) * 11) {
      const [from, to] = viewOf(rows, above, 900, 30);
      assert.ok(from >= 0 && to <= rows && to - from <= 140, `${rows} ${above}: ${from} ${to}`);
      const first = Math.max(0, Math.floor(above / 30));
      const last = Math.min(rows, Math.ceil((above + 900) / 30));
      if (last > first) assert.ok(from <= first && to >= last, `${rows} ${above}: ${from} ${to}, seen ${first} ${last}`);
    }
  }
  const [from, to] = viewOf(1000, 15_000, 2160, 30);
  assert.ok(to - from <= 140 && from <= 500 && to >= 572);
});

test('a newest page keeps what lies behind it, and drops what no longer fits', () => {
  const join = (before: string, page: string) => merged([...before], [...page], (x) => x).join('');
  assert.equal(join('defgh', 'cde'), 'cdefgh');
  assert.equal(join('defgh', 'abc'), 'abcdefgh');
  assert.equal(join('cdefgh', 'cef'), 'cefgh');
  assert.equal(join('cd', 'cd'), 'cd');
});

test('values are counted, those that can be chosen too', () => {
  const rows = ['b', 'a', 'b', ''].map((tool) => ({ tool }));
  assert.deepEqual(countsOf(rows, { valueOf: (r) => r.tool, choices: ['c'] }), [['b', 2], ['a', 1], ['c', 0]]);
  const facet = { name: 'tool', label: '', valueOf: (r: { tool: string }) => r.tool, local: true };
  assert.deepEqual(localRows(rows, [facet], { tool: 'b' }), [{ tool: 'b' }, { tool: 'b' }]);
  assert.equal(localRows(rows, [{ ...facet, local: false }], { tool: 'b' }), rows);
  assert.deepEqual(groupsOf(rows, (r) => (r.tool ? { key: r.tool } : undefined)).map((g) => [g.group.key, g.rows.length]), [['b', 2]]);
});

test('the histogram counts each outcome once, in its time', () => {
  const buckets = bucketsOf([{ at: 0, outcome: 'success' }, { at: 49, outcome: 'failed' }, { at: 50, outcome: 'running' }, { at: 100, outcome: 'denied' }, { at: 101, outcome: 'success' }, { at: 10, outcome: 'waits' }], 0, 100, 2);
  assert.deepEqual(buckets, [{ from: 0, to: 50, good: 1, bad: 1, other: 1 }, { from: 50, to: 100, good: 0, bad: 1, other: 1 }]);
});

test('each way in which a call ends has its own outcome', () => {
  const of = (error_type: string) => ofCall({ state: 'done', status: 'error', error_type });
  assert.deepEqual(['permission_denied', 'policy_denied', 'cancelled', 'timeout', 'outcome_unknown', 'network_error', 'consent_expired'].map(of), ['denied', 'denied', 'cancelled', 'timed_out', 'unknown', 'failed', 'expired']);
  assert.deepEqual([ofCall({ state: 'done', status: 'success' }), ofCall({ state: 'running', status: 'pending' }), ofCall({ state: 'awaiting_consent', status: 'pending' })], ['success', 'running', 'waits']);
});

test('periods', () => {
  const now = Date.parse('2026-03-04T05:06:07Z');
  assert.equal(momentOf('1h30m', now), now - 5_400_000);
  assert.equal(momentOf('2026-03-04T05:00:00Z', now), now - 367_000);
  assert.equal(momentOf('soon', now), undefined);
  assert.deepEqual(spanOf([now - 10, now - 30], {}, now), [now - 30, now]);
  assert.deepEqual(spanOf([now - 10], { from: '1h' }, now), [now - 3_600_000, now]);
  const { from, to } = yesterday(now);
  assert.ok(Date.parse(to) <= now && Date.parse(to) > now - 86_400_000 && Date.parse(from) < Date.parse(to));
  const utc = '2026-03-04T05:06:07.000Z';
  assert.equal(utcOf(localOf(utc)), utc);
  assert.equal(localOf('1h'), '');
  assert.equal(utcOf(''), '');
});

test('an id or a name leads to what it may stand for', () => {
  const kinds = (text: string, lists = true, everybody = true) => targetsOf(text, lists, everybody).map((x) => x.kind).join(' ');
  assert.equal(kinds(''), '');
  assert.equal(kinds('0af7651916cd43dd8448eb211c80319c').split(' ')[0], 'trace');
  assert.equal(kinds('c-abc').split(' ')[0], 'consent');
  assert.equal(kinds('c-abc', false), 'consent call');
  assert.equal(kinds('<img src=x>'), 'search');
  assert.equal(kinds('ann', true, false), 'call callsOfAgent callsOfTool search');
  assert.ok(targetsOf('../x?y', true, true).every((x) => new URL(x.href, 'http://h').pathname === '/calls'));
});
