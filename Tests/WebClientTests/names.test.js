import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Names } from '../../Sources/CWebClient/files/client/names.js';
import { golden } from './support/fixtures.js';

test('names are learned from messages and from notices', () => {
  const names = new Names();
  ['event-message', 'event-joined'].forEach((name) => names.learn(golden(name)));
  assert.equal(names.get(golden('event-message').sender_id), golden('event-message').sender_name);
  assert.equal(names.get(golden('event-joined').user_id), golden('event-joined').username);
});

test('a new name replaces the one before, and an event without names changes nothing', () => {
  const names = new Names();
  names.learn({ sender_id: 'x', sender_name: 'Ann' });
  names.learn({ sender_id: 'x', sender_name: 'Anna' });
  names.learn({ sender_id: 'x' });
  names.learn({ type: 'renamed', title: 'Garden' });
  assert.deepEqual([...names.values()], ['Anna']);
});

test('the display name is that of the message that was learned last', () => {
  const names = new Names();
  const { sender_id: alice } = golden('event-message-named');
  names.learn(golden('event-message-named'));
  assert.deepEqual([names.shown(alice), names.get(alice)], ['Alice Liddell', 'alice']);
  names.learn({ user_id: alice, username: 'alice' });
  assert.equal(names.shown(alice), 'Alice Liddell');
  names.learn(golden('event-message'));
  assert.equal(names.shown(alice), undefined);
});

test('the newest 5,000 names are kept', () => {
  const names = new Names();
  for (let number = 0; number <= 5_000; number += 1) names.set(`u${number}`, `${number}`);
  assert.deepEqual([names.get('u0'), names.get('u1'), names.get('u5000')], [undefined, '1', '5000']);
});
