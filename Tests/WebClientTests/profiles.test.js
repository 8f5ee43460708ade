import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatarPath, Profiles } from '../../Sources/CWebClient/files/app/profiles.js';
import { golden } from './support/fixtures.js';
import { settled } from './support/globals.js';

test('pictures of users are those of this server, looked up a few at a time, and remembered', async () => {
  let [now, running, most, asked, changes] = [0, 0, 0, 0, 0];
  const load = async (id) => {
    [asked, running] = [asked + 1, running + 1];
    most = Math.max(most, running);
    await null;
    running -= 1;
    if (id === 'gone') throw new Error();
    return { avatar_url: id === 'u0' ? '/v1/attachments/x' : 'https://other.example/x' };
  };
  const all = new Profiles(load, () => { changes += 1; }, () => now);
  for (let number = 0; number < 20; number += 1) all.get(`u${number}`);
  all.get('gone');
  await settled();
  assert.deepEqual([all.get('u0'), all.get('u1'), all.get('gone')], ['/v1/attachments/x', null, null]);
  assert.deepEqual([asked, most, changes], [21, 4, 1]);
  now = 60_000;
  ['u0', 'gone'].forEach((id) => all.get(id));
  await settled();
  assert.equal(asked, 22, 'a failed look-up is repeated sooner than another');
  assert.equal(avatarPath('/v1/attachments/../me'), null);
});

test('at most 100 look-ups of pictures wait or are made, and the newest remain', async () => {
  let answer;
  const answers = new Promise((resolve) => { answer = resolve; });
  const asked = [];
  const all = new Profiles(async (id) => {
    asked.push(id);
    await answers;
    return {};
  }, () => {});
  for (let number = 0; number < 150; number += 1) all.get(`u${number}`);
  answer();
  await settled(1000);
  assert.deepEqual([asked.length, asked.slice(0, 6), asked.at(-1)], [100, ['u0', 'u1', 'u2', 'u3', 'u54', 'u55'], 'u149']);
});

test('without a connection a picture that is known stays, and without the user it goes', async () => {
  let [now, status] = [0, 200];
  const all = new Profiles(async () => {
    if (status !== 200) throw Object.assign(new Error(), { status });
    return { avatar_url: '/v1/attachments/x' };
  }, () => {}, () => now);
  const shown = [];
  for (const next of [200, 0, 404]) {
    status = next;
    all.get('u');
    await settled();
    shown.push(all.known('u'));
    now += 3_600_000;
  }
  assert.deepEqual(shown, ['/v1/attachments/x', '/v1/attachments/x', null]);
});

test('the pictures of 2,000 users are remembered', () => {
  const all = new Profiles(() => new Promise(() => {}), () => {});
  all.learn(Array.from({ length: 2_001 }, (_, number) => ({ id: `u${number}`, avatar_url: '/v1/attachments/x' })));
  assert.deepEqual([all.known('u0'), all.known('u1'), all.known('u2000')], [null, '/v1/attachments/x', '/v1/attachments/x']);
});

test('somebody without an id is not looked up', async () => {
  const asked = [];
  const all = new Profiles(async (id) => asked.push(id), () => {});
  assert.deepEqual([all.get(undefined), all.get('')], [null, null]);
  await settled();
  assert.deepEqual(asked, []);
});

test('a display name is known with the picture, and a new one replaces it', async () => {
  let changes = 0;
  const all = new Profiles(async () => ({ display_name: 'Bob B.' }), () => { changes += 1; });
  assert.equal(all.nameOf('b'), null);
  all.get('b');
  await settled();
  assert.deepEqual([all.nameOf('b'), changes], ['Bob B.', 1]);
  all.learn([{ id: 'b', username: 'bob', display_name: 'Bob B.' }]);
  assert.equal(changes, 1);
  all.learn([{ id: 'b', username: 'bob', display_name: 'Robert' }, { id: 'c', username: 'cy' }]);
  assert.deepEqual([all.nameOf('b'), all.nameOf('c'), changes], ['Robert', null, 2]);
});

test('a reported profile is shown at once, and all are looked up again after an interruption', async () => {
  let asked = 0;
  const all = new Profiles(async () => {
    asked += 1;
    return { display_name: 'Bob' };
  }, () => {});
  assert.equal(all.has('b'), false);
  all.learn([golden('user').user]);
  const { id } = golden('user').user;
  assert.deepEqual([all.has(id), all.nameOf(id), all.known(id)], [true, 'Bob B.', '/v1/attachments/0190f3']);
  all.learn([golden('user-plain').user]);
  assert.deepEqual([all.has(id), all.nameOf(id), all.known(id), asked], [true, null, null, 0]);
  all.expire();
  assert.equal(all.get(id), null);
  await settled();
  assert.deepEqual([all.nameOf(id), asked], ['Bob', 1]);
});

test('a profile that cannot be looked up is not known', async () => {
  const all = new Profiles(async () => { throw Object.assign(new Error(), { status: 0 }); }, () => {});
  all.get('b');
  await settled();
  assert.equal(all.has('b'), false);
});
