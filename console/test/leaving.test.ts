import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

test('a failure while a page is left waits for the next page', async () => {
  let leave: () => void = () => assert.fail('nothing listens');
  Object.assign(globalThis, { addEventListener: (event: string, on: () => void) => { if (event === 'beforeunload') leave = on; } });
  const { stays } = await import('../src/api/leaving');
  mock.timers.enable({ apis: ['setTimeout'] });
  let over = 0;
  const count = () => { over++; };

  await stays();
  leave();
  const waiting = stays().then(count);
  mock.timers.tick(1000);
  await Promise.resolve();
  assert.equal(over, 0);
  mock.timers.tick(2001);
  await waiting;
  assert.equal(over, 1);
});
