// The languages say the same: each text of one is there in the other, translated.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { de } from '../src/text/de';
import { en } from '../src/text/en';

// leaves returns the texts and functions below a value, by their path.
function leaves(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]]);
  return new Map(Object.entries(value).flatMap(([name, v]) => [...leaves(v, path ? `${path}.${name}` : name)]));
}

// same are words of both languages.
const same = new Set(['Agent', 'Code', 'Definition', 'Median', 'Name', 'Person', 'Pool', 'Pools', 'Problem', 'Server', 'Standard', 'Subject', 'Token', 'Version', 'Worker']);

test('each English text has a German one, and no other has', () => {
  const [english, german] = [leaves(en), leaves(de)];
  assert.deepEqual([...german.keys()].sort(), [...english.keys()].sort());
  const left = [...english].filter(([path, text]) => typeof text === 'string' && german.get(path) === text && !same.has(text)).map(([path, text]) => `${path}: ${String(text)}`);
  assert.deepEqual(left, []);
  for (const [path, text] of english) assert.equal(typeof german.get(path), typeof text, path);
});
