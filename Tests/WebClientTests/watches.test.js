import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Watches } from '../../Sources/CWebClient/files/client/watches.js';

test('presence is watched for the people of the newest 20 tabs, 500 of them', () => {
  const [few, many] = [new Watches(), new Watches()];
  for (let tab = 0; tab < 30; tab += 1) few.set(`${tab}`, [`u${tab}`, 'all']);
  few.set('10', ['again']);
  for (let tab = 0; tab < 3; tab += 1) many.set(`${tab}`, Array.from({ length: 300 }, (_, index) => `${tab}-${index}`));
  assert.deepEqual([few.users.length, few.users[0], few.users.includes('u9'), few.users.includes('u11')], [21, 'again', false, true]);
  assert.deepEqual([many.users.length, many.users[0]], [500, '2-0']);
});

test('a tab that shows nobody watches nobody', () => {
  const watches = new Watches();
  assert.deepEqual(watches.users, []);
  watches.set('1', ['a']);
  watches.set('1', []);
  assert.deepEqual(watches.users, []);
});
