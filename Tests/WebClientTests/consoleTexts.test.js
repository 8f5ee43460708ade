import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorText, filterOf, stateText } from '../../Sources/CWebClient/files/console/auditText.js';
import { fields, rest, seconds } from '../../Sources/CWebClient/files/console/restrict.js';

test('hours become seconds; an empty field is no end, anything else is refused', () => {
  assert.deepEqual(['', ' ', '1', '0.5', '0,5', '24', '0.0001'].map(seconds), [null, null, 3600, 1800, 1800, 86_400, 1]);
  for (const text of ['0', '-1', 'x', '1 h']) assert.throws(() => seconds(text), /Enter a number of hours above 0/);
});

test('a suspension has only the fields that were entered', () => {
  assert.deepEqual(fields('', ' '), {});
  assert.deepEqual(fields('2', ' spam '), { seconds: 7200, reason: 'spam' });
});

test('what is left of a suspension or sanction is told with its reason', () => {
  assert.equal(rest({ until_ms: null, reason: null }, 0), 'until it is ended');
  assert.equal(rest({ reason: 'spam\u202e' }, 0), 'until it is ended: spam‹U+202E›');
  assert.equal(rest({ until_ms: 7_200_000, reason: 'spam' }, 0), 'for 2 h more: spam');
});

test('filters of the audit log are those that were entered, and times are local', () => {
  const empty = { user: '', actor: ' ', thread: '', action: '', from: '', to: '' };
  assert.deepEqual(filterOf(empty), {});
  assert.deepEqual(filterOf({ ...empty, user: ' ann ', action: 'ban', from: '2026-11-27T14:05', to: 'x' }),
    { user: 'ann', action: 'ban', from_ms: String(new Date(2026, 10, 27, 14, 5).getTime()) });
});

test('actors and changes are told in one line', () => {
  assert.deepEqual([{ kind: 'command' }, { kind: 'key', name: 'back' }, { kind: 'operator', id: 'u1' }, { kind: 'user', id: 'u2' }].map(actorText),
    ['parley admin', 'key back', 'operator u1', 'user u2']);
  assert.equal(stateText({}), '–');
  assert.equal(stateText({ before: { role: 'member' }, after: { role: 'owner' }, reason: 'promised' }), 'member → owner: promised');
  assert.equal(stateText({ after: { until_ms: null } }), 'no end');
  assert.equal(stateText({ reason: '<b>' }), '<b>');
  assert.match(stateText({ after: { until_ms: 1_790_000_000_000 } }), /^until .*2026/);
});
