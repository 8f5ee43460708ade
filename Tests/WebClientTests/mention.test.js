import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidates, completed, mentionAt } from '../../Sources/CWebClient/files/app/mention.js';

test('a mention is completed where the cursor is', () => {
  assert.deepEqual(mentionAt('hi @bo', 6), { from: 3, prefix: 'bo' });
  assert.equal(mentionAt('a@b', 3), null);
  const users = [{ username: 'bob', name: null }, { username: 'Bea', name: null }, { username: 'carl', name: 'Dr. Carl Baker' }, { username: 'dan', name: 'Daniel' }];
  const named = (prefix) => candidates(prefix, users).map(({ username }) => username);
  assert.deepEqual(named('b'), ['bob', 'Bea', 'carl'], 'by the username, the display name, or a later word of it');
  assert.deepEqual(named('dani'), ['dan']);
  assert.deepEqual(named('aker'), []);
  assert.deepEqual(completed('hi @bo there', 6, { from: 3 }, 'bob'), { text: 'hi @bob there', cursor: 8 });
});

test('a mention begins with its mark, and ends with a space or where the cursor is', () => {
  assert.deepEqual(['@', '(@b', '@@b', '@b ', '@b c'].map((text) => mentionAt(text, text.length)?.prefix ?? null), ['', 'b', null, null, null]);
  assert.deepEqual(mentionAt('@bob', 2), { from: 0, prefix: 'b' });
  assert.equal(mentionAt('@bob', 0), null);
  assert.equal(mentionAt(`@${'b'.repeat(41)}`, 42), null);
});

test('six names are offered, of recent senders first', () => {
  const users = Array.from({ length: 9 }, (_, index) => ({ username: `u${index}`, name: null }));
  assert.deepEqual(candidates('', users), users.slice(0, 6));
});
