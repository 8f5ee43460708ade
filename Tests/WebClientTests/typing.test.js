import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MILLISECONDS } from '../../Sources/CWebClient/files/client/policy.js';
import { Typing } from '../../Sources/CWebClient/files/client/typing.js';
import { golden } from './support/fixtures.js';
import { replaceGlobal } from './support/globals.js';
import { FakeClock } from './support/socket.js';

function typingOf(context) {
  const clock = new FakeClock((name, value) => replaceGlobal(context, name, value));
  context.mock.method(Date, 'now', () => clock.now);
  const sent = [];
  const changes = { count: 0 };
  return { clock, sent, changes, typing: new Typing('me', () => { changes.count += 1; }, ({ typing }) => sent.push(typing)) };
}

const notice = (user, on = true) => ({ type: 'typing', thread_id: 'a', user_id: user, username: user.toUpperCase(), on });

test('a notice is shown for its time, and longer if it is repeated', async (context) => {
  const { clock, typing } = typingOf(context);
  typing.received(notice('bob'));
  await clock.advance(MILLISECONDS.typingLasts - 1);
  assert.deepEqual(typing.users('a').map(({ username }) => username), ['BOB']);
  typing.received(notice('bob'));
  await clock.advance(MILLISECONDS.typingLasts - 1);
  assert.deepEqual(typing.users('a').map(({ username }) => username), ['BOB']);
  await clock.advance(1);
  assert.deepEqual(typing.users('a').map(({ username }) => username), []);
});

test('a notice ends with another one, or with the message, and each end is told once', (context) => {
  const { typing, changes } = typingOf(context);
  typing.received(notice('bob'));
  typing.received(notice('bob', false));
  typing.received(notice('bob', false));
  typing.received(notice('carl'));
  typing.ended('a', 'carl');
  typing.ended('other', 'carl');
  assert.deepEqual([typing.users('a').map(({ username }) => username), changes.count], [[], 4]);
});

test('what the user types on another device is not shown', (context) => {
  const { typing } = typingOf(context);
  typing.received(notice('me'));
  assert.deepEqual(typing.users('a').map(({ username }) => username), []);
});

test('typing is told at once, and again after a while', (context) => {
  const { clock, typing, sent } = typingOf(context);
  for (const wait of [0, MILLISECONDS.typingEvery - 1, 1]) {
    clock.now += wait;
    typing.typed('a', true);
  }
  typing.typed('a', false);
  typing.typed('a', false);
  assert.deepEqual(sent, [{ id: 'a', on: true }, { id: 'a', on: true }, { id: 'a', on: false }]);
  assert.deepEqual(Object.keys(sent[0]).sort(), Object.keys(golden('typing').typing).sort());
});

test('typing in another thread is told, and the end of none is not', (context) => {
  const { typing, sent } = typingOf(context);
  typing.typed(null, false);
  typing.typed('a', true);
  typing.typed('b', true);
  typing.typed('a', false);
  assert.deepEqual(sent, [{ id: 'a', on: true }, { id: 'b', on: true }]);
});
