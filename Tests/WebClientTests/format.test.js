import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as format from '../../Sources/CWebClient/files/shared/format.js';

const local = (...parts) => new Date(...parts).getTime();

test('scalars are counted, not UTF-16 units', () => {
  assert.deepEqual(['a', '👍', '👩‍🚀', ''].map(format.scalarCount), [1, 1, 3, 0]);
});

test('what the server refuses is taken out before sending', () => {
  assert.deepEqual(['a\0b', ' a \n', '\uD83D', ' \n ', '\n\n a'].map(format.sendable), ['ab', ' a', '\uFFFD', '', ' a']);
});

test('a name has initials', () => {
  assert.deepEqual(['Weekend hike', 'ops', '42', '…', ''].map(format.initials), ['WH', 'O', '4', '#', '#']);
});

test('initials are whole letters of any script', () => {
  assert.deepEqual(['𝒜bc 東京', 'ßa', 'o’neill', '👍 ok'].map(format.initials), ['𝒜東', 'SS', 'ON', 'O']);
});

test('sizes are short', () => {
  assert.deepEqual([1, 999, 1000, 48_211, 999_999, 1_250_000, 20_000_000, 5e9].map(format.sizeText),
    ['1 byte', '999 bytes', '1 kB', '48 kB', '1 MB', '1.3 MB', '20 MB', '5 GB']);
});

test('sizes at the borders of their units', () => {
  assert.deepEqual([0, 9_949, 9_950, 999_499, 999_500, 999_999_999, 1e12].map(format.sizeText),
    ['0 bytes', '9.9 kB', '10 kB', '999 kB', '1 MB', '1 GB', '1000 GB']);
});

test('days are those of the calendar, also when the clocks change', () => {
  for (const month of [2, 9]) {
    for (let day = 20; day < 32; day += 1) {
      const { from, to } = format.dayAround(local(2026, month, day, 12));
      assert.deepEqual([from, to], [local(2026, month, day), local(2026, month, day + 1)]);
      assert.equal(format.dayLabel(from, to - 1), 'Today');
      assert.equal(format.dayLabel(from, to), 'Yesterday');
    }
  }
});

test('a day is named by its distance', () => {
  const now = local(2026, 10, 26, 1);
  const label = (...parts) => format.dayLabel(local(...parts), now);
  assert.deepEqual([label(2026, 10, 26), label(2026, 10, 25, 23, 59)], ['Today', 'Yesterday']);
  // Whether a comma follows the weekday depends on the ICU of the browser.
  assert.match(label(2026, 10, 24), /^Tuesday,? 24 November$/);
  assert.equal(label(2025, 10, 24), '24 November 2025');
  assert.equal(label(2026, 10, 27), '27 November 2026', 'a clock may be ahead');
});

test('a colour is one of eight, and that of an id stays', () => {
  assert.deepEqual([...new Set(Array.from({ length: 1_000 }, (_, number) => format.hue(`u${number}`)))].sort(), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.equal(format.hue('0190c2'), format.hue('0190c2'));
  assert.equal(format.hue(''), 0);
});
