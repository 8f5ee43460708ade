import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorText, filterOf, stateText } from '../../Sources/CWebClient/files/console/auditText.js';
import { moveText, placeOf, rowOf } from '../../Sources/CWebClient/files/console/eventGroupsText.js';
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

test('a group of readers has its worker while the lease lasts, its lag, and the end of its cursor', () => {
  const group = { name: 'crm', worker: 'a', lease_until_ms: 10_000, lag_ms: 90_000, acknowledged_ms: 1000, cursor: '0100c0e4b3f5a8b1900300' };
  assert.deepEqual(rowOf(group, 5000), ['crm', 'a', '1 min', '4 s ago', '…f5a8b1900300']);
  assert.deepEqual(rowOf({ ...group, lag_ms: null, acknowledged_ms: null, cursor: '01' }, 10_000),
    ['crm', 'none, the last was a', 'nothing unread', 'never', '01']);
  assert.equal(rowOf({ ...group, worker: '', lease_until_ms: 0 }, 5000)[1], 'none since it was moved');
});

test('a move says what it means, and takes a cursor only in its form', () => {
  assert.deepEqual(moveText('crm', 'start'), { title: 'Move crm to the start?', text: 'The answer to its worker ends, and every stored event is read again.' });
  assert.match(moveText('crm', 'end').text, /left out\.$/);
  assert.match(moveText('crm', 'cursor').title, /to this cursor\?$/);
  assert.deepEqual([placeOf('start', 'x'), placeOf('end', ''), placeOf('cursor', ' 0100 ')], ['start', 'end', '0100']);
  for (const text of ['', 'start', '0x1']) assert.throws(() => placeOf('cursor', text), /Enter a cursor/);
});
