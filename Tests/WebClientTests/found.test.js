import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerpt } from '../../Sources/CWebClient/files/app/found.js';

const shown = (text, wanted) => excerpt(text, wanted).map(({ piece, isMatch }) => (isMatch ? `[${piece}]` : piece)).join('');

test('the beginnings of words are highlighted, in any case', () => {
  assert.equal(shown('The Kettle, two kettles', 'KET tw'), 'The [Ket]tle, [tw]o [ket]tles');
  assert.equal(shown('settled', 'ket'), 'settled');
  assert.equal(shown('Größe', 'grö'), '[Grö]ße');
});

test('a single character is highlighted as a word only', () => {
  assert.equal(shown('a cat and b', 'a'), '[a] cat and b');
});

test('a long text is shown around its first match', () => {
  const text = `${'x '.repeat(100)}needle${' y'.repeat(200)}`;
  assert.match(shown(text, 'need'), /^…(?:x ){30}\[need\]le(?: y)+$/);
  assert.ok(shown(text, 'need').length < 250);
});

test('a text without a match, as after an edit, is shown from its beginning', () => {
  assert.equal(shown('other', 'need'), 'other');
  assert.equal(shown('', 'need'), '');
});
