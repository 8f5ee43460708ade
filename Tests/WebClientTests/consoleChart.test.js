import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as chart from '../../Sources/CWebClient/files/console/chart.js';

const STEP = 10_000;
/** An instant in step 1000, which is not complete. */
const NOW = 1000 * STEP + 4000;

const history = (samples) => ({ date_ms: NOW, step_ms: STEP, samples: samples.map(([step, value]) => ({ start_ms: step * STEP, load: value })) });

test('an hour ends with the last complete step, and has gaps for steps without a sample', () => {
  const values = chart.hour(history([[640, 1], [639, 9], [998, 2], [999, 3], [1000, 4]]), 'load');
  assert.equal(values.length, chart.STEPS);
  assert.deepEqual([values[0], values[1], values[357], values[358], values[359]], [1, null, null, 2, 3]);
  assert.ok(chart.hour(history([[999, 'x'], [998, null]]), 'load').every((value) => value === null));
  assert.ok(chart.hour(history([]), 'load').every((value) => value === null));
});

test('the scale ends at a round number', () => {
  assert.deepEqual([0, -1, NaN, 0.03, 0.2, 0.7, 1, 1.1, 3, 7, 10, 101, 4321].map(chart.ceiling),
    [1, 1, 1, 0.05, 0.2, 1, 1, 2, 5, 10, 10, 200, 5000]);
});

test('a path has a gap where values are missing, and shows a single value', () => {
  assert.equal(chart.path([0, 5, null, 10, null], 10), 'M0 80L90 40M270 0h1');
  assert.equal(chart.path([null, null], 1), '');
  // A value above the scale stays in the box.
  assert.equal(chart.path([20, 0], 10), 'M0 0L360 80');
});

test('a chart has a text alternative', () => {
  const write = (value) => `${value}/s`;
  assert.equal(chart.describe('Deliveries', [null, null], write), 'Deliveries: no data yet.');
  assert.equal(chart.describe('Deliveries', [null, 3, 1, 2], write), 'Deliveries in the last minute: now 2/s, lowest 1/s, highest 3/s.');
  assert.match(chart.describe('Deliveries', new Array(360).fill(7), write), /^Deliveries in the last 60 minutes: now 7\/s/);
});
