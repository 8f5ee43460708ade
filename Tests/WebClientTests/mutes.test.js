import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../../Sources/CWebClient/files/app/chat.js';
import { createClient } from '../../Sources/CWebClient/files/client/index.js';
import { Mutes } from '../../Sources/CWebClient/files/client/mutes.js';
import { Roster } from '../../Sources/CWebClient/files/client/roster.js';
import { IDBKeyRange } from './support/database.js';
import { replaceGlobal, settled } from './support/globals.js';
import { FakeServer } from './support/server.js';
import { FakeClock } from './support/socket.js';
import { tabsOf } from './support/tabs.js';

const NOON = 1_795_255_200_000;
const MINUTE = 60_000;
const thread = (mute, id = 'a') => ({ id, title: id, kind: 'room', epoch: 'e1', seq: 1, unread: 0, read_seq: 1, mute });

/** A clock at noon that the test moves, timers included. */
function clockOf(context) {
  const clock = new FakeClock((name, value) => replaceGlobal(context, name, value));
  const start = clock.now;
  context.mock.method(Date, 'now', () => NOON + clock.now - start);
  return clock;
}

/** A list of threads and the ends of its mutes. `changes` counts the ends by themselves. */
function mutesOf(context) {
  const clock = clockOf(context);
  const state = { roster: new Roster('me'), changes: 0 };
  const mutes = new Mutes({ get roster() { return state.roster; }, changed: () => { state.changes += 1; } });
  const receive = (message) => {
    if (message.frame) state.roster.apply(message.frame);
    if (message.listed) state.roster.listed(message.listed);
    if (message.snapshot) state.roster = new Roster('me', message.snapshot.threads);
    mutes.received(message);
  };
  receive({ frame: { type: 'hello', threads: [thread(), thread(undefined, 'b')] } });
  const muted = (mute, id = 'a') => receive({ frame: { type: 'mute', thread_id: id, mute } });
  return { clock, state, mutes, receive, muted, muteOf: (id = 'a') => state.roster.get(id).mute };
}

test('a mute ends when its time is over, which is a change, and not a millisecond earlier', async (context) => {
  const { clock, state, muted, muteOf } = mutesOf(context);
  muted({ until_ms: NOON + 10 * MINUTE, reason: 'spam' });
  await clock.advance(10 * MINUTE - 1);
  assert.deepEqual([muteOf(), state.changes], [{ untilMs: NOON + 10 * MINUTE, reason: 'spam' }, 0]);
  await clock.advance(1);
  assert.deepEqual([muteOf(), state.changes, clock.delays], [null, 1, []]);
});

test('the clock that counts is the server’s, and a new difference counts at once', async (context) => {
  const { clock, receive, muted, muteOf } = mutesOf(context);
  receive({ offset: -5_000 });
  muted({ until_ms: NOON + 1_000 });
  await clock.advance(5_999);
  assert.notEqual(muteOf(), null);
  await clock.advance(1);
  assert.equal(muteOf(), null);
  muted({ until_ms: NOON + 30_000 });
  receive({ offset: 30_000 });
  assert.equal(muteOf(), null);
});

test('a longer mute replaces a shorter one, and a shorter one a longer one', async (context) => {
  const { clock, muted, muteOf } = mutesOf(context);
  muted({ until_ms: NOON + MINUTE });
  muted({ until_ms: NOON + 3 * MINUTE, reason: 'again' });
  await clock.advance(2 * MINUTE);
  assert.deepEqual(muteOf(), { untilMs: NOON + 3 * MINUTE, reason: 'again' });
  muted({ until_ms: NOON + 2 * MINUTE + 10 });
  await clock.advance(10);
  assert.equal(muteOf(), null);
});

test('one timer serves all threads, and each mute ends at its own time', async (context) => {
  const { clock, state, muted, muteOf } = mutesOf(context);
  muted({ until_ms: NOON + 2_000 }, 'b');
  muted({ until_ms: NOON + 1_000 });
  assert.deepEqual(clock.delays, [1_000]);
  await clock.advance(1_000);
  assert.deepEqual([muteOf('a'), muteOf('b')], [null, { untilMs: NOON + 2_000 }]);
  await clock.advance(1_000);
  assert.deepEqual([muteOf('b'), state.changes], [null, 2]);
});

test('a mute of years needs no delay that a browser cannot wait for, and one without an end no timer', async (context) => {
  const { clock, state, muted, muteOf } = mutesOf(context);
  muted({ until_ms: NOON + 315_360_000_000 });
  assert.ok(clock.delays.length === 1 && clock.delays[0] < 2 ** 31);
  await clock.advance(10 * MINUTE);
  assert.ok(muteOf() && clock.delays.length === 1 && clock.delays[0] < 2 ** 31);
  muted({});
  await clock.advance(10 * MINUTE);
  assert.deepEqual([muteOf(), clock.delays, state.changes], [{}, [], 0]);
});

test('after a device has slept, or its clock was corrected, a mute whose time is over ends within a minute', async (context) => {
  const { clock, muted, muteOf } = mutesOf(context);
  muted({ until_ms: NOON + 3_600_000 });
  context.mock.method(Date, 'now', () => NOON + 7_200_000);
  await clock.advance(MINUTE);
  assert.equal(muteOf(), null);
});

test('what is over already when it arrives does not mute', (context) => {
  const { receive, muted, muteOf } = mutesOf(context);
  const mute = { until_ms: NOON - 1 };
  muted(mute);
  assert.equal(muteOf(), null);
  receive({ listed: [thread(mute)] });
  assert.equal(muteOf(), null);
  receive({ snapshot: { threads: [{ id: 'a', mute: { untilMs: NOON + 1 } }], offset: 2 } });
  assert.equal(muteOf(), null, 'by the clock that the leading tab knows');
  receive({ snapshot: { threads: [{ id: 'a', mute: { untilMs: NOON + 3 } }], offset: undefined } });
  assert.deepEqual(muteOf(), { untilMs: NOON + 3 });
});

test('an end by a frame needs no timer, and nothing happens after the end of the session', async (context) => {
  const { clock, state, mutes, muted, muteOf } = mutesOf(context);
  muted({ until_ms: NOON + 1_000 });
  muted(null);
  assert.deepEqual([muteOf(), clock.delays], [null, []]);
  muted({ until_ms: NOON + 1_000 });
  mutes.stop();
  mutes.look();
  assert.deepEqual(clock.delays, []);
  await clock.advance(2_000);
  assert.equal(state.changes, 0);
});

test('a page learns of a mute, of a longer one, of its end, and of what happened while it was offline', async (context) => {
  const replace = (name, value) => replaceGlobal(context, name, value);
  const clock = clockOf(context);
  const server = new FakeServer();
  // The clock of the device is ten seconds behind.
  server.time = NOON + 10_000;
  replace('WebSocket', server.WebSocket);
  replace('fetch', (url) => server.fetch(url.replace('http://server', '')));
  replace('location', { href: 'http://server/' });
  replace('navigator', {});
  replace('document', { visibilityState: 'visible' });
  replace('IDBKeyRange', IDBKeyRange);
  let changes = 0;
  const chat = new Chat({ id: 'me', username: 'me' }, { onChange: () => { changes += 1; }, onLive: () => {}, onRefused: assert.fail, onSignedOut: assert.fail });
  const deliver = async () => {
    await settled();
    for (const socket of server.open) await server.deliver(socket, Infinity);
    await settled();
  };
  await settled();
  chat.open('a');
  await deliver();
  assert.equal(chat.openThread.mute, null);
  server.setMute({ until_ms: NOON + 40_000, reason: 'spam' });
  const before = changes;
  await deliver();
  assert.deepEqual(chat.openThread.mute, { untilMs: NOON + 40_000, reason: 'spam' });
  assert.ok(changes > before);
  server.setMute({ until_ms: NOON + 70_000, reason: 'spam again' });
  await deliver();
  assert.equal(chat.openThread.mute.reason, 'spam again');
  server.setMute(null);
  await deliver();
  assert.equal(chat.openThread.mute, null);
  // The frame is lost with the socket, and the next hello says it.
  server.open[0].end(1006);
  server.setMute({ until_ms: NOON + 100_000 });
  server.time = NOON + 40_000;
  await clock.advance(30_000);
  await deliver();
  assert.deepEqual([chat.client.state, chat.openThread.mute], ['open', { untilMs: NOON + 100_000 }]);
  // The server sends nothing at the end.
  server.mute = null;
  const count = changes;
  await clock.advance(70_000);
  await settled();
  assert.equal(chat.openThread.mute, null);
  assert.ok(changes > count);
  server.open[0]?.end(1006);
  server.setMute({});
  await clock.advance(60_000);
  await deliver();
  assert.deepEqual(chat.openThread.mute, {});
  server.open[0].end(1006);
  server.mute = null;
  await clock.advance(60_000);
  await deliver();
  assert.equal(chat.openThread.mute, null, 'ended while offline');
  chat.stop();
});

test('two tabs show the same mute and the same end, also when the leading one is closed or suspended', async (context) => {
  const { scheduler, server, device, open, living } = tabsOf(context);
  const mutes = () => living().map(({ client }) => client.thread('a')?.mute);
  const first = await open();
  const end = server.time + 60_000;
  server.setMute(server.rooms.get('a'), { until_ms: end, reason: 'spam' });
  const second = await open();
  assert.deepEqual(mutes(), [{ untilMs: end, reason: 'spam' }, { untilMs: end, reason: 'spam' }]);
  server.setMute(server.rooms.get('a'), { until_ms: end + 60_000 });
  await scheduler.pass(5_000);
  assert.deepEqual(mutes(), [{ untilMs: end + 60_000 }, { untilMs: end + 60_000 }]);
  device.kill(first.process);
  for (const link of server.open) link.cut(true);
  await scheduler.pass(10_000);
  assert.deepEqual(mutes(), [{ untilMs: end + 60_000 }]);
  const third = await open();
  assert.deepEqual(mutes(), [{ untilMs: end + 60_000 }, { untilMs: end + 60_000 }]);
  // The leading tab sleeps, and its timer with it.
  second.process.asleepUntil = scheduler.now + 600_000;
  const { changes } = third;
  await scheduler.pass(end + 60_000 - server.time + 1_000);
  assert.equal(third.client.thread('a').mute, null);
  assert.ok(third.changes > changes);
});

test('a client that starts without a connection shows the mute that it has stored, and then what hello says', async (context) => {
  const { scheduler, server, device, open, living } = tabsOf(context);
  const mutes = () => living().map(({ client }) => client.thread('a')?.mute);
  const first = await open();
  server.setMute(server.rooms.get('a'), { until_ms: server.time + 30_000, reason: 'spam' });
  server.setMute(server.rooms.get('b'), {});
  await scheduler.pass(5_000);
  const restart = async (process) => {
    device.kill(process);
    for (const link of server.open) link.cut(true);
    return open();
  };
  // The sockets of the server are refused, and its REST API says who the user is.
  server.refusesSockets = true;
  const second = await restart(first.process);
  assert.equal(second.client.state, 'connecting');
  assert.deepEqual([mutes()[0].reason, second.client.thread('b').mute], ['spam', {}]);
  await scheduler.pass(30_000);
  assert.deepEqual([mutes(), second.client.thread('b').mute], [[null], {}], 'ended without a connection');
  server.setMute(server.rooms.get('b'), null);
  server.refusesSockets = false;
  await scheduler.pass(60_000);
  assert.deepEqual([second.client.state, second.client.thread('b').mute], ['open', null]);
});

test('the thread that a client joins or opens has its mute, like those of the list', async (context) => {
  const server = new FakeServer();
  const fetch = async (path) => (path.includes('/v1/me') ? { ok: true, status: 200, headers: new Headers(), text: async () => '{"id":"me","username":"me"}' } : server.fetch(path));
  const client = createClient({ WebSocket: server.WebSocket, url: 'http://server', fetch: (url) => fetch(url.replace('http://server', '')) });
  context.after(() => client.close());
  await client.ready;
  assert.equal(client.thread('a').mute, null);
  server.mute = { reason: 'spam' };
  server.fetch = async () => ({ ok: true, status: 200, headers: new Headers(), text: async () => JSON.stringify(server.thread) });
  const joined = await client.join('A');
  assert.deepEqual([joined.mute, joined.readSeq, client.thread('a').mute], [{ reason: 'spam' }, 0, { reason: 'spam' }]);
});
