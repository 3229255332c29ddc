import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reader } from '../src/api/events';
import { urlOf } from '../src/api/client';
import { match } from '../src/app/router';
import { Digits, parse } from '../src/lib/exact';
import { compare } from '../src/lib/lines';
import { clock, duration, relative } from '../src/lib/time';
import { isPicture, languageOf } from '../src/consent/values';
import { en } from '../src/text/en';
import { de } from '../src/text/de';

test('match', () => {
  assert.deepEqual(match('/calls/:id', '/calls/a%2Fb'), { id: 'a/b' });
  assert.deepEqual(match('/', '/'), {});
  assert.deepEqual(match('/calls', '/calls/'), {});
  for (const path of ['/calls', '/calls/', '/calls/a/b', '/calls/%zz', '/other/a']) assert.equal(match('/calls/:id', path), undefined, path);
});

test('urlOf escapes, and leaves out what is empty', () => {
  assert.equal(urlOf('/v1/a/{id}/b', { id: '../x?y' }, { q: 'a&b', none: '', no: undefined, n: 0 }), '/v1/a/..%2Fx%3Fy/b?q=a%26b&n=0');
});

test('reader puts events together, however they are cut', () => {
  const stream = ': hi\n\nid: 1\nevent: started\ndata: {"a":\ndata: 1}\n\nid: 2\r\ndata:x\r\n\r\nevent: gone\n\n';
  for (let size = 1; size < stream.length; size++) {
    const read = reader();
    const got = [];
    for (let i = 0; i < stream.length; i += size) got.push(...read(stream.slice(i, i + size)));
    assert.deepEqual(got, [{ id: '1', event: 'started', data: '{"a":\n1}' }, { id: '2', event: 'message', data: 'x' }], String(size));
  }
});

test('times', () => {
  assert.equal(clock(61_001), '1:02');
  assert.equal(clock(-5), '0:00');
  assert.equal(clock(3_600_000), '1:00:00');
  assert.equal(relative(0, 180_000, 'en'), '3 minutes ago');
  assert.equal(relative(90_000, 0, 'de'), 'in 1 Minute');
  assert.equal(duration(1.74, 'en'), '1.7 ms');
  assert.equal(duration(12_345, 'de'), '12,3 s');
  assert.equal(duration(125_000, 'en'), '2:05');
});

test('compare shows changes with what is around them', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  const after = before.with(10, 'changed');
  const got = compare(before.join('\n'), after.join('\n'), 1).map((l) => l.op + l.text);
  assert.deepEqual(got, ['…9', ' line 9', '-line 10', '+changed', ' line 11', '…8']);
  assert.deepEqual(compare('a', 'a'), [{ op: ' ', text: 'a' }]);
});

test('parse keeps digits where the engine tells them', () => {
  const got = parse('{"a":12345678901234567890,"b":1.50,"c":3,"d":0.1}') as Record<string, unknown>;
  assert.equal(got['c'], 3);
  assert.equal(got['d'], 0.1);
  if (got['a'] instanceof Digits) assert.equal(got['a'].source, '12345678901234567890'); // node 20 does not
});

test('code and pictures are known by the argument', () => {
  assert.equal(languageOf('execute_python', 'code', 'x'), 'python');
  assert.equal(languageOf('other', 'code', 'a\nb'), '');
  assert.equal(languageOf('other', 'name', 'a\nb'), undefined);
  for (const path of ['a/b.png', 'x.JPEG']) assert.ok(isPicture(path), path);
  for (const path of ['../x.png', '/etc/x.png', 'https://h/x.png', 'x.svg', 'a\\u202e.png']) assert.ok(!isPicture(path), path);
});

test('both languages say everything', () => {
  const paths = (of: unknown, at = ''): string[] =>
    typeof of === 'object' && of !== null ? Object.entries(of).flatMap(([k, v]) => paths(v, `${at}.${k}`)) : [`${at}:${typeof of}`];
  assert.deepEqual(paths(de).sort(), paths(en).sort());
});
