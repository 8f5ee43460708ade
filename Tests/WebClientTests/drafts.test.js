import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drafts, removeDrafts, setDraft } from '../../Sources/CWebClient/files/app/drafts.js';
import { replaceGlobal } from './support/globals.js';

/** A local storage in memory. */
function storage(context, methods = {}) {
  const all = new Map();
  replaceGlobal(context, 'localStorage', {
    getItem: (key) => all.get(key) ?? null, setItem: (key, value) => all.set(key, value), removeItem: (key) => all.delete(key), ...methods,
  });
  return all;
}

test('a draft is kept for its user and thread until it is sent', (context) => {
  storage(context);
  setDraft('me', 'a', 'hi');
  setDraft('me', 'b', 'ho');
  setDraft('other', 'a', 'x');
  assert.deepEqual(drafts('me'), { a: 'hi', b: 'ho' });
  setDraft('me', 'a', '');
  assert.deepEqual(drafts('me'), { b: 'ho' });
  removeDrafts('me');
  assert.deepEqual([drafts('me'), drafts('other')], [{}, { a: 'x' }]);
});

test('the drafts of the 50 threads that were written in last are kept', (context) => {
  storage(context);
  for (let number = 0; number < 50; number += 1) setDraft('me', `t${number}`, 'x');
  setDraft('me', 't0', 'newer');
  setDraft('me', 'more', 'x');
  const kept = Object.keys(drafts('me'));
  assert.deepEqual([kept.length, kept.includes('t0'), kept.includes('t1')], [50, true, false]);
});

test('a draft that has not changed is not written again', (context) => {
  let writes = 0;
  const all = storage(context, { setItem: (key, value) => { writes += 1; all.set(key, value); } });
  setDraft('me', 'a', '');
  setDraft('me', 'a', 'hi');
  setDraft('me', 'a', 'hi');
  assert.equal(writes, 1);
});

test('a storage that is full, forbidden or holds something else keeps nothing from working', (context) => {
  const fail = () => { throw new Error('QuotaExceededError'); };
  storage(context, { getItem: fail, setItem: fail, removeItem: fail });
  setDraft('me', 'a', 'hi');
  removeDrafts('me');
  assert.deepEqual(drafts('me'), {});
  for (const text of ['', '{', 'null', '7', '"x"']) {
    storage(context, { getItem: () => text });
    assert.deepEqual(drafts('me'), {}, text);
  }
});
