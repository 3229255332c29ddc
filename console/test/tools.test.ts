import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordered } from '../src/pages/tools/order';
import { path } from '../src/pages/tools/spark';
import { argumentsOf, fieldIn, fieldsOf, valuesOf } from '../src/pages/tools/form';
import { allows } from '../src/pages/tools/rules';

const schema = {
  type: 'object',
  required: ['text', 'n'],
  properties: {
    mode: { enum: ['fast', 3, null] },
    text: { type: 'string', minLength: 2, maxLength: 5, description: 'Any text.' },
    n: { type: 'integer', minimum: 1, maximum: 9 },
    share: { type: 'number' },
    yes: { type: 'boolean' },
    more: { type: 'array', items: { type: 'string' } },
    long: { type: 'string' },
  },
};
const fields = fieldsOf(schema);

test('fieldsOf puts required fields first, and knows their kinds', () => {
  assert.deepEqual(fields.map((f) => [f.name, f.kind, f.required]), [
    ['text', 'text', true], ['n', 'integer', true], ['mode', 'choice', false], ['share', 'number', false], ['yes', 'choice', false], ['more', 'json', false], ['long', 'long', false],
  ]);
  assert.deepEqual(fields[0], { name: 'text', kind: 'text', required: true, choices: [], description: 'Any text.', minLength: 2, maxLength: 5 });
});

test('fieldsOf takes any schema', () => {
  for (const odd of [undefined, null, true, [], 'x', {}, { properties: 3, required: {} }]) assert.deepEqual(fieldsOf(odd), [], JSON.stringify(odd));
  assert.deepEqual(fieldsOf({ properties: { a: true, b: { type: ['string', 'null'] } } }).map((f) => f.kind), ['json', 'json']);
});

test('argumentsOf reads what is filled in', () => {
  const { args, wrong } = argumentsOf(fields, { text: 'äöü', n: ' 3 ', mode: 'null', share: '-1.5e3', yes: 'false', more: '["a"]', long: '' });
  assert.deepEqual(wrong, {});
  assert.deepEqual(args, { text: 'äöü', n: 3, mode: null, share: -1500, yes: false, more: ['a'] });
});

test('argumentsOf says what is wrong with which field', () => {
  assert.deepEqual(argumentsOf(fields, {}), { args: {}, wrong: { text: { why: 'required' }, n: { why: 'required' } } });
  const { wrong } = argumentsOf(fields, { text: '😀', n: '0', mode: '"slow"', share: '1,5', yes: 'yes', more: '[' });
  assert.deepEqual(wrong, {
    text: { why: 'minLength', n: 2 }, n: { why: 'min', n: 1 }, mode: { why: 'choice' }, share: { why: 'number' }, yes: { why: 'choice' }, more: { why: 'json' },
  });
  assert.deepEqual(argumentsOf(fields, { text: 'abcdef', n: '2.5', share: '9007199254740993' }).wrong, {
    text: { why: 'maxLength', n: 5 }, n: { why: 'integer' }, share: { why: 'precision' },
  });
});

test('names of fields are no members of every object', () => {
  const odd = fieldsOf({ required: ['constructor'], properties: { constructor: { type: 'string' }, ['__proto__']: { type: 'string' } } });
  assert.deepEqual(argumentsOf(odd, {}).wrong, { constructor: { why: 'required' } });
  const { args } = argumentsOf(odd, Object.fromEntries([['constructor', 'a'], ['__proto__', 'b']]));
  assert.equal(JSON.stringify(args), '{"constructor":"a","__proto__":"b"}');
});

test('valuesOf begins with the example', () => {
  const values = valuesOf(fields, { text: 'abc', n: 4, mode: 'fast', yes: true, more: ['x'], other: 1 });
  assert.deepEqual(values, { text: 'abc', n: '4', mode: '"fast"', yes: 'true', more: '[\n  "x"\n]' });
  assert.deepEqual(argumentsOf(fields, values).args, { text: 'abc', n: 4, mode: 'fast', yes: true, more: ['x'] });
  assert.deepEqual(valuesOf(fields, undefined), {});
});

test('fieldIn finds the field that a message is about', () => {
  assert.equal(fieldIn('share: must be at most 3; n: must be at least 1', fields), 'share');
  assert.equal(fieldIn('the "more/0" is not text', fields), 'more');
  assert.equal(fieldIn('nothing of it', fields), '');
});

test('allows decides as the server does', () => {
  const tool = { name: 'read_file', aliases: ['file.read'], group: 'files' };
  const agent = (tools: string[], groups: string[] = [], deny: string[] = []) => ({ agent: 'a', tools, groups, deny });
  for (const yes of [agent(['read_file']), agent(['read_*']), agent(['file.read']), agent(['*']), agent([], ['files']), agent([], ['fi*'])]) assert.ok(allows(yes, tool), JSON.stringify(yes));
  for (const no of [agent([]), agent(['read']), agent(['*'], [], ['files']), agent(['*'], [], ['file.*']), agent(['read_file'], [], ['read_file']), agent([], ['file'])]) assert.ok(!allows(no, tool), JSON.stringify(no));
  assert.ok(!allows(agent(['*'], ['*']), { name: 'debug.fail', group: 'diagnostics' }));
  assert.ok(allows(agent(['debug.*']), { name: 'debug.fail', group: 'diagnostics' }));
});

test('tools are ordered by their calls, others stay where they are', () => {
  const tools = ['a', 'b', 'c', 'd'].map((name) => ({ name })) as unknown as Parameters<typeof ordered>[0];
  const stats = new Map([['b', { calls: 9, errors: 1, p99_ms: 5 }], ['c', { calls: 3, errors: 2, p99_ms: 80 }]]) as unknown as Parameters<typeof ordered>[1];
  const names = (order: Parameters<typeof ordered>[2]) => ordered(tools, stats, order).map((d) => d.name).join('');
  assert.equal(names('name'), 'abcd');
  assert.equal(names('calls'), 'bcad');
  assert.equal(names('errors'), 'cbad');
  assert.equal(names('time'), 'cbad');
  assert.equal(ordered(tools, undefined, 'calls'), tools);
});

test('a sparkline stays within its box', () => {
  assert.equal(path([0, 1, 2], 2), 'M0 17L36 9L72 1');
  assert.equal(path([], 1), '');
});
