import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat } from '../../Sources/CWebClient/files/app/chat.js';
import { IDBKeyRange } from './support/database.js';
import { golden } from './support/fixtures.js';
import { replaceGlobal, settled } from './support/globals.js';
import { generator, seedOf } from './support/random.js';
import { FakeServer } from './support/server.js';
import { FakeClock } from './support/socket.js';

const RUNS = 25;
const STEPS = 80;

/** The world of a page, with a server and a clock that the test moves. Without IndexedDB and Web Locks each page leads. */
function world(context) {
  const replace = (name, value) => replaceGlobal(context, name, value);
  const server = new FakeServer();
  const clock = new FakeClock(replace);
  replace('WebSocket', server.WebSocket);
  replace('fetch', (url) => server.fetch(url.replace('http://server', '')));
  replace('location', { href: 'http://server/' });
  replace('navigator', {});
  replace('document', { visibilityState: 'visible' });
  replace('IDBKeyRange', IDBKeyRange);
  return { server, clock };
}

async function device() {
  const chat = new Chat({ id: 'me', username: 'me' }, { onChange: () => {}, onLive: () => {}, onRefused: assert.fail, onSignedOut: assert.fail });
  await settled();
  chat.open('a');
  return chat;
}

/** Delivers everything, and lets so much time pass that every wait has ended. */
async function quiet({ server, clock }, devices) {
  for (let round = 0; round < 40; round += 1) {
    await clock.advance(2_000);
    for (const socket of server.open) await server.deliver(socket, Infinity);
    await settled();
    if (round === 20) server.store();
    if (round > 20) devices.forEach((chat) => chat.markSeen(Infinity));
  }
}

test('two devices show the same messages, each once and in order, however sockets break and logs are lost', async (context) => {
  const seed = seedOf(context);
  const random = generator(seed);
  context.mock.method(Math, 'random', () => random(1_000_000) / 1_000_000);
  for (let run = 0; run < RUNS; run += 1) {
    const each = world(context);
    const { server, clock } = each;
    const devices = [await device(), await device()];
    const sent = [];
    const any = (all) => all[random(all.length)];
    const withSocket = (action) => (server.open.length > 0 ? action(any(server.open)) : null);
    const steps = [
      () => { sent.push(`text ${sent.length}`); any(devices).send(sent.at(-1)); }, () => { server.append('x', 'from x'); },
      () => withSocket((socket) => server.deliver(socket, 1 + random(4))), () => withSocket((socket) => server.deliver(socket, 1 + random(4))),
      () => withSocket((socket) => { if (random(2) === 0) socket.end(any([1006, 1012, 4300])); }), () => withSocket((socket) => server.leaveOut(socket)),
      () => clock.advance(random(2_000)), () => { server.store(); },
      () => { if (random(3) === 0) server.rollBack(); }, () => { any(devices).markSeen(Infinity); }, () => { any(devices).conversations.loadOlder(); },
    ];
    for (let step = 0; step < STEPS; step += 1) {
      await any(steps)();
      await settled(60);
    }
    await quiet(each, devices);
    const where = `run ${run} of PARLEY_SEED=${seed}`;
    const texts = server.log.filter(({ sender_id: sender }) => sender === 'me').map(({ text }) => text);
    assert.deepEqual(texts.slice().sort(), sent.slice().sort(), `the log has each message once, ${where}`);
    for (const chat of devices) {
      const { from, rows } = chat.timeline;
      const log = server.log.filter(({ seq }) => seq >= from);
      assert.deepEqual(rows.map(({ seq, text }) => [seq, text]), log.map(({ seq, text }) => [seq, text]), where);
      const { epoch, seq, unread } = chat.openThread;
      assert.deepEqual({ epoch, seq, unread, outbox: chat.outbox }, { epoch: server.epoch, seq: server.head, unread: 0, outbox: [] }, where);
      chat.stop();
    }
  }
});

test('another name is shown at once, before it has been looked up and after', async (context) => {
  const { server } = world(context);
  const chat = await device();
  const receive = async (frame) => {
    server.open[0].queue.push(frame);
    await server.deliver(server.open[0], Infinity);
    await settled();
  };
  await server.deliver(server.open[0], Infinity);
  await settled();
  await receive({ ...golden('event-message-named'), thread_id: 'a', epoch: server.epoch, seq: 1 });
  const { sender_id: alice } = golden('event-message-named');
  assert.equal(chat.nameFor(alice, 'alice'), 'Alice Liddell');
  for (const name of ['Alice', 'Al']) {
    await receive({ type: 'user', user: { id: alice, username: 'alice', display_name: name } });
    assert.equal(chat.nameFor(alice, 'alice'), name);
  }
  await receive({ type: 'user', user: { id: alice, username: 'alice' } });
  assert.equal(chat.nameFor(alice, 'alice'), 'alice');
  // An erased user loses the name that the page knows.
  await receive({ type: 'user', user: { id: alice, username: 'alice', display_name: 'Al' } });
  assert.equal(chat.nameFor(alice, `erased:${alice}`), `erased:${alice}`);
  chat.stop();
});
