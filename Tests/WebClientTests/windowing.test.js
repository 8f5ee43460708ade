import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heights } from '../../Sources/CWebClient/files/app/windowing.js';

const rows = (count) => Array.from({ length: count }, (_, index) => ({ key: `${index}` }));

function heights(count, estimate = () => 10) {
  const all = new Heights(estimate);
  all.reset(rows(count));
  return all;
}

test('rows of unknown height are found by their place', () => {
  const all = heights(100);
  all.measured(3, 60);
  assert.deepEqual([all.total, all.offset(4)], [1050, 90]);
  assert.deepEqual([0, 35, 95].map((distance) => all.indexAt(distance)), [0, 3, 4]);
  assert.deepEqual(all.range(100, 120), [5, 8]);
});

test('no row, one row, and distances outside', () => {
  assert.deepEqual([heights(0).total, heights(0).range(0, 1000), heights(0).indexAt(5)], [0, [0, 0], 0]);
  assert.deepEqual(heights(1).range(-1e9, 1e9), [0, 1]);
  assert.deepEqual(heights(3).range(-100, -50), [0, 1]);
  assert.deepEqual(heights(3).range(1e9, 2e9), [2, 3]);
});

test('a height that is known stays that of its row when rows come before it', () => {
  const all = heights(2);
  assert.deepEqual([all.measured(1, 50), all.measured(1, 50)], [true, false]);
  all.reset([{ key: 'new' }, ...rows(2)]);
  assert.deepEqual([all.total, all.offset(2)], [70, 20]);
  all.forget();
  assert.equal(all.total, 30);
});

test('places are the sums of heights, in whatever order rows are measured', () => {
  const all = heights(60);
  const known = new Array(60).fill(10);
  for (let step = 0; step < 300; step += 1) {
    const index = (step * 37) % 60;
    known[index] = (step * 13) % 90;
    all.measured(index, known[index]);
    const place = (step * 7) % 61;
    assert.equal(all.offset(place), known.slice(0, place).reduce((sum, height) => sum + height, 0));
  }
});

test('heights of rows that are gone are forgotten', () => {
  const all = heights(2_000);
  for (let index = 0; index < 2_000; index += 1) all.measured(index, 99);
  all.reset(rows(10));
  all.reset(rows(2_000));
  assert.equal(all.total, 10 * 99 + 1_990 * 10);
});
