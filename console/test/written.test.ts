import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { readable } from '../src/lib/preview';
import { Digits } from '../src/lib/exact';
import { forms, written } from '../src/pages/calls/written';

const evil = `it's "\\" $(id) \`id\`\n\u0000\u001b[31m\u202e\u{e0041}€ äö`;
const made = { tool: 'debug.echo', arguments: { [evil]: [evil, 1.5, null, true, new Digits('12345678901234567890')] }, user: 'ann', agent: 'a1', server: 'http://127.0.0.1:8080', tenant: 't1', authenticated: true };

test('a shell hands the arguments on as they are, and runs nothing in them', () => {
  for (const form of ['curl', 'cli'] as const) {
    const text = written(form, made).replace(/^(curl|helve)/, 'printf "%s\\n---\\n"');
    const out = spawnSync('sh', ['-c', text], { env: { HELVE_TOKEN: 'key' } }).stdout.toString().split('\n---\n');
    const body = JSON.parse(out.find((x) => x.startsWith('{')) ?? '') as Record<string, never>;
    const args = form === 'curl' ? (body as unknown as { calls: { arguments: unknown }[] }).calls[0]?.arguments : body;
    assert.deepEqual(args, { [evil]: [evil, 1.5, null, true, 12345678901234567890] }, form);
    assert.ok(out.includes(form === 'curl' ? 'Authorization: Bearer key' : '--user'), out.join(' '));
  }
});

test('no form has a character that nobody sees', () => {
  for (const [form] of forms) assert.doesNotMatch(written(form, made).replaceAll('\n', ''), /[\u0000-\u001f\u202e]|\u{e0041}/u, form);
});

test('Python reads what was written', (t) => {
  const program = written('python', made).split('\n').find((l) => l.includes('helve.call'))?.replace('print(helve.call(', 'import json; print(json.dumps([').replace(').text)', ']))').trim() ?? '';
  const python = spawnSync('python3', ['-c', program]);
  if (python.error) return t.skip('no python3');
  assert.deepEqual(JSON.parse(python.stdout.toString()), ['debug.echo', { [evil]: [evil, 1.5, null, true, 12345678901234567890] }]);
});

test('TypeScript and what the server escapes', () => {
  const text = written('typescript', { ...made, authenticated: false });
  const args = /helve\.call\("debug\.echo", (.*)\)\);/.exec(text)?.[1] ?? '';
  assert.deepEqual(new Function(`return ${args}`)(), { [evil]: [evil, 1.5, null, true, 12345678901234567890] });
  assert.deepEqual(readable({ a: 'x\\u202ey\\n' }), { a: 'x[U+202E]y\n' });
});
