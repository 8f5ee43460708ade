import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as format from '../../Sources/CWebClient/files/console/format.js';

test('counts and rates have at most four digits or one decimal', () => {
  assert.deepEqual([0, 0.04, 0.25, 9.96, 99.94, 100, 1234.5, 9999, 10_000, 12_345, 999_499, 1_250_000].map(format.count),
    ['0', '0', '0.3', '10', '99.9', '100', '1,235', '9,999', '10k', '12.3k', '999.5k', '1.3M']);
});

test('bytes are counted in powers of 1024', () => {
  assert.deepEqual([0, 1023, 1024, 1536, 10_240, 88_000_000, 5e9, 3e15].map(format.bytes),
    ['0 B', '1023 B', '1 KiB', '1.5 KiB', '10 KiB', '84 MiB', '4.7 GiB', '2728 TiB']);
});

test('a span has its two largest units', () => {
  assert.deepEqual([-5, 400, 59_400, 60_000, 3_599_000, 3_600_000, 7_500_000, 86_400_000, 1e9].map(format.span),
    ['0 s', '0 s', '59 s', '1 min', '59 min', '1 h', '2 h 5 min', '1 d', '11 d 13 h']);
});

test('what has just happened, or will by another clock, is now', () => {
  assert.deepEqual([format.ago(1000, 2000), format.ago(1000, 500), format.ago(0, 5000)], ['now', 'now', '5 s ago']);
});

test('what is not stored yet has a number, and an age that is worth mentioning', () => {
  const lags = [[0, 0], [1, 0.1], [7, 0.2], [7, 14.2], [12_345, 2.25]].map(([events, seconds]) => format.lag({ lag_events: events, lag_seconds: seconds }));
  assert.deepEqual(lags, ['nothing', '1 event', '7 events', '7 events, 14 s', '12.3k events, 2.3 s']);
});

test('the place of a socket is behind from six events on, or when events were left out', () => {
  const positions = [{ seq: 7 }, { seq: 6 }, { seq: 2 }, { seq: 1 }, { seq: 9 }, { seq: 7, behind: { from: 3, to: 5 } }];
  assert.deepEqual(positions.map((position) => format.place(position, 7)).map(({ text, isBehind }) => `${text}${isBehind ? '!' : ''}`),
    ['7', '6 of 7', '2 of 7', '1 of 7!', '9', '7, left out 3–5!']);
});

test('a session is told by its end, and the one of this page is named', () => {
  assert.equal(format.sessionText({ expires_ms: 1_209_600_000, current: false }, 0), 'ends in 14 d');
  assert.equal(format.sessionText({ expires_ms: 60_000, current: true }, 0), 'this page, ends in 1 min');
});

test('a line ends at the right edge, and one of zeros is at the bottom', () => {
  assert.equal(format.linePoints([0, 5, 10], 5), '50,27 75,14.5 100,2');
  assert.equal(format.linePoints([0, 0], 2), '0,27 100,27');
  assert.equal(format.linePoints([], 60), '');
  assert.equal(format.linePoints([3], 60), '100,2');
});

test('problems of the cluster are named, the most severe first', () => {
  const well = {
    registry: { state: 'up' }, redis: { state: 'up' }, database: { state: 'up' }, persist: { lag_seconds: 9.9 }, nodes: [{ persister: {} }],
  };
  const partly = { state: 'partly', unavailable_on: ['a', 'b'] };
  const cases = [
    [well, ''], [{ ...well, redis: { state: 'none' } }, ''], [{ ...well, persist: { lag_seconds: 10 } }, 'The store is behind'],
    [{ ...well, nodes: [{}] }, 'Nothing is stored'],
    [{ ...well, redis: partly, database: { state: 'unavailable' } }, 'Redis is unavailable on a, b · The database is unavailable'],
    [{ ...well, registry: { state: 'unavailable' }, nodes: [{}] }, 'Nodes do not see each other'],
  ];
  for (const [overview, problems] of cases) assert.equal(format.problems(overview).join(' · '), problems);
});

test('shares, latencies and cores are put so that an operator reads them at a glance', () => {
  assert.deepEqual([0, 0.004, 0.5, 1, 16.001].map(format.percent), ['0 %', '0 %', '50 %', '100 %', '1600 %']);
  assert.deepEqual([0, 0.04, 9.96, 10.4, 1234.5].map(format.latency), ['0 ms', '0 ms', '10 ms', '10 ms', '1235 ms']);
  assert.deepEqual([0, 1, 1.004, 2.345].map(format.cores), ['0 cores', '1 core', '1 core', '2.35 cores']);
});
