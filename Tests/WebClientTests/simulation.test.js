import assert from 'node:assert/strict';
import { test } from 'node:test';
import { World } from './simulation/world.js';

/** `make simulate-client` runs more. */
const SEEDS = 40;

test('whatever happens, each message is sent once and in order, and every tab shows what the server has', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed);
    assert.deepEqual(await world.live(), [], `node Tests/WebClientTests/simulation/run.js --seeds 1 --from ${seed} --trace`);
    assert.ok(world.sends.length > 0);
  }
});

test('the same seed does the same again', async () => {
  const traces = [];
  for (let count = 0; count < 2; count += 1) {
    const lines = [];
    await new World(7, (...what) => lines.push(what.join(' '))).live();
    traces.push(lines);
  }
  assert.ok(traces[0].length > 100);
  assert.deepEqual(traces[0], traces[1]);
});
