import assert from 'node:assert/strict';
import { test } from 'node:test';
import { safe } from '../src/pages/services/connect';
import { bodyOf, fieldsOf, missing, serviceOf, type Service, type Stored } from '../src/pages/services/entry';
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

test('an entry is changed with the form of its name, or of its kind', () => {
  const known: readonly Service[] = [
    { name: 'custom', type: 'custom', fields: [] }, { name: 'http', type: 'http', fields: [{ name: 'base_url', type: 'url' }] },
    { name: 'google', type: 'oauth2', fields: [] }, { name: 'openai', type: 'builtin', fields: [] },
  ];
  const formOf = (service: string, type?: Stored['type']) => serviceOf({ service, label: 'default', active: true, fields: {}, ...(type && { type }) }, known)?.name;
  assert.deepEqual([formOf('openai'), formOf('crm', 'http'), formOf('crm', 'custom'), formOf('google', 'oauth2'), formOf('google', 'http')], ['openai', 'http', 'custom', 'google', 'http']);
  // An account is connected again; what is no longer declared, and a service that is called as a kind, have no form.
  assert.deepEqual([formOf('google', 'account'), formOf('gone'), formOf('http')], [undefined, undefined, undefined]);
  assert.deepEqual(fieldsOf(known[0] as Service, { service: 'crm', label: 'default', type: 'custom', active: true, fields: { token: { set: true }, host: { set: true } } }).map((f) => [f.name, f.secret]), [['host', true], ['token', true]]);
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
