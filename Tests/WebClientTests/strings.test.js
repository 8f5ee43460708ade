import assert from 'node:assert/strict';
import { test } from 'node:test';
import { english } from '../../Sources/CWebClient/files/shared/english.js';
import { explain } from '../../Sources/CWebClient/files/shared/errors.js';
import { german } from '../../Sources/CWebClient/files/shared/german.js';
import { stringsFor } from '../../Sources/CWebClient/files/shared/strings.js';

/** The names of all entries, with their kinds. */
const shape = (entry) => {
  if (typeof entry === 'function') return `function of ${entry.length}`;
  if (typeof entry !== 'object') return typeof entry;
  return Object.fromEntries(Object.entries(entry).map(([name, each]) => [name, shape(each)]));
};

test('every text exists in both languages', () => {
  assert.deepEqual(shape(german), shape(english));
  const same = Object.keys(english).filter((name) => typeof english[name] === 'string' && english[name] === german[name]);
  assert.deepEqual(same, ['appName', 'online', 'offlineUser', 'emoji', 'video']);
});

test('the first preferred language that the app speaks counts', () => {
  assert.equal(stringsFor(['fr', 'de-AT', 'en']), german);
  assert.equal(stringsFor(['en-US', 'de']), english);
  assert.equal(stringsFor(['fr']), english);
  assert.equal(stringsFor([]), english);
});

test('sentences about the reader have their own form', () => {
  assert.equal(english.roleChanged(null, 'read_only'), 'You can now only read');
  assert.equal(english.roleChanged('bob', 'moderator'), 'bob is now a moderator');
  assert.equal(english.removed(null, 'bob'), 'You removed bob');
  assert.equal(english.added('bob', null), 'bob added you');
  assert.equal(german.roleChanged(null, 'read_only'), 'Du kannst jetzt nur lesen');
  assert.equal(german.added('bob', null), 'bob hat dich hinzugefügt');
  assert.equal(german.left(null), 'Du bist gegangen');
});

test('errors are explained by their codes, not by the texts for developers', () => {
  const error = { code: 'bad_request', message: 'old_password is missing or wrong' };
  assert.equal(explain(error, 'password'), english.errors.wrongPassword);
  assert.equal(explain(error), english.errors.bad_request);
  assert.equal(explain({ code: 'unauthorized', message: 'x' }, 'logIn'), english.errors.wrongLogin);
  assert.equal(explain(new Error('made by the page')), 'made by the page');
  assert.equal(explain({ code: 'http_502', message: 'The server answered 502.' }), 'The server answered 502.');
});

test('who may not join is told what the server says: until when, and why', () => {
  const error = { code: 'forbidden', message: 'you are banned from this thread until 2026-11-27T14:05:00Z: sp\u202eam' };
  const told = 'you are banned from this thread until 2026-11-27T14:05:00Z: sp‹U+202E›am';
  assert.deepEqual([explain(error, 'join'), explain(error, 'member')], [told, told]);
  assert.deepEqual([explain(error), explain(error, 'title'), explain({ code: 'forbidden' }, 'join')], Array(3).fill(english.errors.forbidden));
  assert.equal(explain({ code: 'conflict', message: 'x' }, 'join'), english.errors.titleTaken);
});
