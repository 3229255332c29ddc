import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schemas } from '../src/api/client';
import { ofRecords } from '../src/pages/calls/final';
import { canonical, hashOf } from '../src/pages/calls/hash';
import { lifeline } from '../src/pages/calls/lifeline';
import type { Summary } from '../src/pages/calls/list';
import { ticks, waterfall } from '../src/pages/calls/waterfall';

const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString();

test('lifeline tells each step once', () => {
  const event = (type: string, ms: number, data: object = {}) => ({ id: String(ms), type, time: at(ms), trace_id: '', call_id: 'c', tool: 't', data }) as unknown as Schemas['Event'];
  const record = (phase: string, ms: number, more: object = {}) => ({ audit_id: String(ms), time: at(ms), phase, tenant: 'd', ...more }) as unknown as Schemas['AuditRecord'];
  const events = [event('queued', 0), event('awaiting_consent', 5), event('resumed', 90), event('started', 100, { worker: 'w-1', attempt: 1 }), event('progress', 110), event('done', 200, { status: 'error', error_type: 'timeout' })];
  const records = [record('consent_requested', 4), record('consent_decided', 80, { decision: { outcome: 'allowed', reason: 'granted by ann' } }), record('started', 101, { worker: 'w-1', attempt: 1 }), record('finished', 205, { ended_at: at(201), worker: 'w-1' })];
  const steps = (e: typeof events, r: typeof records) => lifeline(e, r).map((p) => `${p.step}@${Date.parse(p.at) - 1_800_000_000_000}`);
  assert.deepEqual(steps(events, records), ['queued@0', 'asked@5', 'decided@80', 'resumed@90', 'started@100', 'done@200']);
  assert.deepEqual(steps([], records), ['asked@4', 'decided@80', 'started@101', 'done@201']);
  assert.deepEqual(steps([], [record('finished', 9, { started_at: at(1), ended_at: at(8) })]), ['started@1', 'done@8']);
  assert.deepEqual(steps([event('queued', 0), event('started', 2), ...events.slice(1)], []), ['queued@0', 'asked@5', 'resumed@90', 'started@100', 'done@200']);
  // A call that was delivered twice began twice.
  assert.deepEqual(steps([], [record('started', 1, { attempt: 1 }), record('started', 5, { attempt: 2 }), record('finished', 9)]), ['started@1', 'started@5', 'done@9']);
  // Steps that come with a call tell what neither has, as when its events are gone.
  const told = (...list: readonly [string, number][]) => list.map(([step, ms]) => ({ step, at: at(ms) })) as unknown as Schemas['CallStep'][];
  const all = told(['accepted', -2], ['asked', 3], ['decided', 79], ['started', 99], ['done', 199]);
  const full = (e: typeof events, r: typeof records, s = all) => lifeline(e, r, s).map((p) => `${p.step}@${Date.parse(p.at) - 1_800_000_000_000}`);
  assert.deepEqual(full([], []), ['acceptedQueued@-2', 'asked@3', 'decided@79', 'started@99', 'done@199']);
  assert.deepEqual(full(events, records), ['accepted@-2', 'queued@0', 'asked@5', 'decided@80', 'resumed@90', 'started@100', 'done@200']);
  assert.deepEqual(full([], [record('refused', 9)], told(['accepted', 1], ['done', 9])), ['acceptedQueued@1', 'refused@9']);
  assert.deepEqual(full([], [], told(['accepted', 1], ['started', 2], ['started', 5], ['done', 9])), ['acceptedQueued@1', 'started@2', 'started@5', 'done@9']);
  assert.equal(lifeline(events, records).find((p) => p.step === 'done')?.worker, 'w-1');
});

test('waterfall puts a call after the one that made it', () => {
  const call = (id: string, begin: number, end?: number) => ({ call_id: id, tool: 't', since: at(begin), state: end === undefined ? 'running' : 'done', status: 'success', ...(end === undefined ? {} : { ended_at: at(end), duration_ms: end - begin }) }) as unknown as Summary;
  const { bars, total } = waterfall([call('b', 50, 60), call('a~2', 30, 40), call('a', 0, 100), call('a~1', 10, 20), call('c', 90)], Date.parse(at(200)));
  assert.deepEqual(bars.map((b) => [b.call.call_id, b.depth, Math.round(b.left), Math.round(b.width)]), [['a', 0, 0, 50], ['a~1', 1, 5, 5], ['a~2', 1, 15, 5], ['b', 0, 25, 5], ['c', 0, 45, 55]]);
  assert.equal(total, 200);
});

test('the number of a bar is its length, and the axis has round marks', () => {
  const call = (id: string, begin: number, end: number, ran: number) => ({ call_id: id, tool: 't', since: at(begin), state: 'done', status: 'success', ended_at: at(end), duration_ms: ran }) as unknown as Summary;
  const { bars, total } = waterfall([call('a', 0, 400, 100), call('b', 200, 1000, 800)], 0);
  assert.deepEqual(bars.map((b) => [b.took, b.ran, b.width, b.waited]), [[400, 100, 40, 75], [800, 800, 80, 0]]);
  for (const b of bars) assert.equal((b.took / total) * 100, b.width);
  for (const [n, want] of [[1000, [0, 200, 400, 600, 800, 1000]], [1, [0, 0.2, 0.4, 0.6, 0.8, 1]], [450, [0, 100, 200, 300, 400]], [90_000, [0, 20_000, 40_000, 60_000, 80_000]]] as const) {
    assert.deepEqual(ticks(n).map((x) => Math.round(x * 10) / 10), want);
  }
});

test('canonical is RFC 8785', async () => {
  assert.equal(canonical({ b: [1, 1e21, -0, 'é\n'], a: null, 'a\u0000': true, 'ä': 0.1 }), '{"a":null,"a\\u0000":true,"b":[1,1e+21,0,"é\\n"],"ä":0.1}');
  assert.equal(await hashOf({}), 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

test('ofRecords is the call of its final record, whoever looked at it since', () => {
  const record = (phase: string, more: object = {}) => ({ audit_id: phase, time: at(0), phase, tenant: 'd', call_id: 'c', tool: 't', ...more }) as unknown as Schemas['AuditRecord'];
  const failed = record('finished', { worker: 'w-1', attempt: 2, user: 'ann', duration_ms: 7, args_hash: 'sha256:1', result: { status: 'error', error_type: 'timeout', summary: 'too late' } });
  const call = ofRecords([record('started'), failed, record('call_viewed'), record('superseded', { result: { status: 'success' } })]);
  assert.deepEqual(
    [call?.state, call?.status, call?.error_type, call?.message, call?.worker, call?.attempt, call?.owner?.user, call?.duration_ms, call?.kept?.by],
    ['done', 'error', 'timeout', 'too late', 'w-1', 2, 'ann', 7, 'record']);
  assert.equal(ofRecords([record('finished', { result: { status: 'success', summary: 'a text' } })])?.message, undefined);
  assert.equal(ofRecords([record('consent_requested'), record('call_viewed')]), undefined);
  assert.equal(ofRecords(undefined), undefined);
});
