import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeReaction, MILLISECONDS, pauseAfterRefusal, waitBefore } from '../../Sources/CWebClient/files/client/policy.js';
import { behaviour } from './support/fixtures.js';

test('delays and deadlines are those that every client follows', () => {
  const { backOffCapOfBots, ...wanted } = behaviour.milliseconds;
  assert.ok(backOffCapOfBots);
  assert.deepEqual(MILLISECONDS, Object.fromEntries(Object.entries(wanted).map(([name, { value }]) => [name, value])));
});

test('reactions to close codes are those that every client follows', () => {
  const reactionOf = (code) => behaviour.closeCodes.find(({ from, to }) => from <= code && code <= to)?.reaction ?? 'back-off';
  const differences = [...Array(5000).keys()].filter((code) => closeReaction(code) !== reactionOf(code));
  assert.deepEqual(differences, []);
});

test('every reaction is one that the fixture describes', () => {
  const found = new Set([...Array(65_536).keys()].map(closeReaction));
  assert.deepEqual([...found].sort(), Object.keys(behaviour.reactions).sort());
});

test('a code that is missing or none at all means the usual delay', () => {
  for (const code of [undefined, null, NaN, 0, -1, 999, 65_535, Infinity]) assert.equal(closeReaction(code), 'back-off');
});

test('the wait is anything up to a bound that doubles and ends at 30 s', () => {
  const cases = [
    [0, 'back-off', 0, 0], [0, 'back-off', 0.999, 499], [1, 'back-off', 0.999, 999], [5, 'back-off', 0.5, 8000],
    [6, 'back-off', 0.999, 29_970], [1e9, 'back-off', 0.999, 29_970], [0, 'later', 0.999, 1499], [0, 'moment', 0.999, 2497],
  ];
  for (const [attempt, reaction, random, wait] of cases) {
    assert.equal(waitBefore(attempt, reaction, () => random), wait, `attempt ${attempt}, ${reaction}, ${random}`);
  }
});

test('however often an attempt has failed, the wait is a whole number of milliseconds within its bounds', () => {
  for (const attempt of [0, 1, 15, 16, 17, 1023, 1024, Number.MAX_SAFE_INTEGER, Infinity]) {
    for (const reaction of ['back-off', 'later', 'moment', 'now', 'renew', 'refused']) {
      for (const random of [0, 0.5, 1 - Number.EPSILON]) {
        const wait = waitBefore(attempt, reaction, () => random);
        const { backOffCap, later, spread } = MILLISECONDS;
        assert.ok(Number.isInteger(wait) && wait >= 0 && wait <= backOffCap + Math.max(later, spread), `${attempt} ${reaction}: ${wait}`);
      }
    }
  }
});

test('at once is at once only once', () => {
  const waits = ['now', 'renew'].flatMap((reaction) => [0, 1].map((attempt) => waitBefore(attempt, reaction, () => 0.999)));
  assert.deepEqual(waits, [0, 999, 0, 999]);
});

test('a refused command waits as long as the server says, and otherwise for a random while', () => {
  const pauses = [[700, 0.5], [0, 0], [0, 0.999], [undefined, 0], [3_600_000, 0]];
  assert.deepEqual(pauses.map(([asked, random]) => pauseAfterRefusal(asked, () => random)), [700, 200, 1998, 200, 3_600_000]);
});
