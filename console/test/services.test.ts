import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safe } from '../src/pages/services/connect';
import { bodyOf, missing, type Stored } from '../src/pages/services/entry';
import { questionOf } from '../src/pages/policy/question';

const fields = [
  { name: 'api_key', type: 'text', secret: true, required: true }, { name: 'base_url', type: 'url' }, { name: 'model', type: 'text' },
] as const;
const stored: Stored = { service: 's', label: 'default', active: true, fields: { api_key: { set: true }, base_url: 'https://a.example', model: 'm' } };

test('an entry: only what changed is sent, and an empty secret is kept', () => {
  const given = new Map([['api_key', ''], ['base_url', 'https://a.example'], ['model', '']]);
  assert.deepEqual(bodyOf(fields, given, stored, true), { fields: { model: null }, active: true, merge: true });
  assert.deepEqual(missing(fields, given, stored), []);
  assert.deepEqual(missing(fields, given, undefined), ['api_key']);
  assert.deepEqual(bodyOf(fields, new Map([['api_key', ' k ']]), undefined, false), { fields: { api_key: ' k ' }, active: false });
});

test('only an address of the web is opened', () => {
  assert.equal(safe('https://a.example/x'), 'https://a.example/x');
  for (const url of [undefined, '', '/x', 'javascript:alert(1)', 'data:text/html,x']) assert.equal(safe(url), undefined);
});

test('a question about a call', () => {
  const form = (of: Record<string, string>) => { const f = new FormData(); for (const [k, v] of Object.entries(of)) f.set(k, v); return f; };
  assert.deepEqual(questionOf(form({ tool: ' debug.echo ', user: 'u1', agent: '', arguments: '{"a": 1}' })).question, { tool: 'debug.echo', user: 'u1', arguments: { a: 1 } });
  assert.deepEqual(questionOf(form({ tool: '', arguments: '[]' })), { wrong: { tool: true, arguments: true } });
  assert.deepEqual(questionOf(form({ tool: 'a', arguments: '{' })), { wrong: { arguments: true } });
});
