import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn, unknownIn } from '../src/pages/agents/sets';

test('namesIn takes names however they are separated, each once', () => {
  assert.deepEqual(namesIn(' a, b\n\nc\ta '), ['a', 'b', 'c']);
  assert.deepEqual(namesIn(' ,\n'), []);
});

test('unknownIn finds slips', () => {
  const rules = { tools: ['read_file', 'read_flie', 'read_*', 'x*'], groups: ['files', 'fields'], deny: ['files', 'read_file', 'web'] };
  assert.deepEqual(unknownIn(rules, ['read_file'], ['files']), ['read_flie', 'x*', 'fields', 'web']);
});
