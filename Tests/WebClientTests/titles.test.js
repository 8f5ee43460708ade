import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookAlikes, searchPrefixes } from '../../Sources/CWebClient/files/app/titles.js';

const areAlike = ([title, other]) => lookAlikes(title, [{ title: other }]).length === 1;

test('rooms that look alike are found, and others are not', () => {
  const alike = [['garden', 'Garden'], ['Garden', 'Gаrden'], ['Garden', 'Gardn'], ['garden ', 'Gärden'], ['team-chat', 'Team chat']];
  const others = [['Garden', 'Garden'], ['Garden', 'Kitchen'], ['Sprint 12', 'Sprint 13'], ['ops', 'dev'], ['东京', '京都']];
  assert.deepEqual(alike.map(areAlike), alike.map(() => true));
  assert.deepEqual(others.map(areAlike), others.map(() => false));
});

test('titles without a letter, and empty ones, are alike only when they are the same', () => {
  assert.deepEqual([['…', '…!'], ['👍', '👍'], ['', 'Garden'], ['?', '-']].map(areAlike), [false, false, false, false]);
});

test('two letters that change places, and pairs that look like one, are found', () => {
  assert.deepEqual([['Gadren', 'Garden'], ['modem', 'modern'], ['Kitchen', 'Kittchen']].map(areAlike), [true, true, true]);
});

test('the search begins with the first letter in any case, and the letters it looks like', () => {
  assert.deepEqual(searchPrefixes(' garden'), ['g', 'G']);
  assert.deepEqual(searchPrefixes('0ps'), ['0', 'o', 'O']);
  assert.deepEqual(searchPrefixes(''), ['']);
  assert.deepEqual(searchPrefixes('👍'), ['👍']);
});
