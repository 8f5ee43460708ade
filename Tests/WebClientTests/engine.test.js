import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../Sources/CWebClient/files/client/engine.js';
import { Rest } from '../../Sources/CWebClient/files/client/rest.js';
import { CAPACITY } from '../../Sources/CWebClient/files/client/outbox.js';
import { FakeDatabase, IDBKeyRange } from './support/database.js';
import { replaceGlobal, settled, until } from './support/globals.js';
import { FakeSockets, hello } from './support/socket.js';
import { message, page } from './support/values.js';

globalThis.IDBKeyRange = IDBKeyRange;

const thread = (fields) => ({ id: 'a', title: 'A', kind: 'room', epoch: 'e1', seq: 4, unread: 0, read_seq: 4, ...fields });
const entry = (id, fields) => ({ id, op: 'message', thread: 'a', text: id, at: 1, order: 1, ...fields });

/**
 * The leading tab of user `me`, after its start.
 * @param answer what the server answers to a command besides `resume`, as frames
 * @param rest what the REST API answers to a path; without it there is no connection
 */
async function leading(context, { answer = () => [], rest, threads = [thread()], database = new FakeDatabase(), time } = {}) {
  const sockets = new FakeSockets((socket) => {
    socket.onCommand = ({ ref, ...command }) => {
      if (!command.resume) queueMicrotask(() => socket.receive(...answer(command, socket).map((frame) => ({ ref, ...frame }))));
    };
    queueMicrotask(() => socket.receive(hello({ threads: sockets.threads ?? threads, server_time: time })));
  });
  replaceGlobal(context, 'WebSocket', sockets.WebSocket);
  replaceGlobal(context, 'fetch', async (path) => {
    if (!rest) throw new TypeError();
    return { ok: true, status: 200, headers: new Headers(), text: async () => JSON.stringify(await rest(path)) };
  });
  const tab = { outbox: [], messages: [], isSignedOut: false };
  const engine = new Engine({ id: 'me' }, database, (message) => {
    tab.messages.push(message);
    tab.outbox = message.outbox ?? tab.outbox;
  }, () => { tab.isSignedOut = true; }, { url: 'ws://server/chat', rest: new Rest() });
  context.after(() => engine.stop());
  await engine.start();
  await settled();
  const commands = (name) => sockets.all.flatMap((socket) => socket.sent).filter((command) => command[name]).map((command) => command[name]);
  return { engine, sockets, database, tab, commands, states: () => tab.outbox.map(({ id, state }) => `${id} ${state}`) };
}

const refusal = (code, fields) => [{ type: 'error', code, message: code, retryable: false, ...fields }];
const accepted = [{ type: 'ack', level: 'accepted', client_id: 'c', seq: 5 }];
const stored = [...accepted, { type: 'ack', level: 'stored', client_id: 'c', seq: 5 }];

test('a message that another tab has sent with files of its own is done; what is refused otherwise has failed', async (context) => {
  for (const [code, states] of [['conflict', []], ['forbidden', ['c failed']]]) {
    const leader = await leading(context, { answer: () => refusal(code) });
    await leader.engine.handle({ do: 'enqueue', entry: entry('c') });
    await settled();
    assert.ok(leader.tab.messages.some(({ outbox }) => outbox?.length === 1));
    assert.deepEqual(leader.states(), states);
  }
});

test('a message is in the outbox, and on this device, until it is stored', async (context) => {
  const leader = await leading(context, { answer: ({ message: sent }) => (sent ? accepted : []) });
  await leader.engine.handle({ do: 'enqueue', entry: entry('c') });
  await settled();
  assert.deepEqual([leader.states(), leader.database.stores.outbox.length], [['c accepted'], 1]);
  leader.sockets.last.receive({ type: 'ack', level: 'stored', ref: leader.sockets.last.sent.at(-1).ref });
  await settled();
  assert.deepEqual([leader.states(), leader.database.stores.outbox.length], [[], 0]);
});

test('what was accepted and may be void is sent again under the same id, and what is kept of the thread is not used', async (context) => {
  const leader = await leading(context, { answer: ({ message: sent, history }) => (sent ? accepted : history ? [{ type: 'page', ...page([1, 2, 3, 4]) }] : []) });
  await leader.engine.handle({ do: 'history', id: 'a', bounds: {}, limit: 80 });
  await leader.engine.handle({ do: 'enqueue', entry: entry('c') });
  await settled();
  leader.sockets.last.receive({ type: 'resumed', threads: { a: { state: 'rolled_back', epoch: 'e2', from: 3, to: 5 } } });
  await leader.engine.handle({ do: 'enqueue', entry: entry('d', { thread: 'b' }) });
  await settled();
  assert.deepEqual(leader.commands('message').map((each) => each.client_id), ['c', 'c', 'd']);
  leader.sockets.last.end(1006);
  leader.engine.handle({ do: 'reconnect' });
  await settled();
  assert.deepEqual(leader.commands('resume').map(({ threads }) => threads), [{}, {}]);
});

test('positions to resume from are those of what is kept, in the numbering that goes on', async (context) => {
  const leader = await leading(context, { answer: ({ history }) => (history ? [{ type: 'page', ...page([1, 2, 3, 4]) }] : []) });
  await leader.engine.handle({ do: 'history', id: 'a', bounds: {}, limit: 80 });
  const positions = async () => {
    leader.engine.handle({ do: 'reconnect' });
    await settled();
    return leader.commands('resume').at(-1).threads;
  };
  assert.deepEqual(await positions(), { a: { epoch: 'e1', seq: 4 } });
  leader.sockets.last.receive({ type: 'resumed', threads: { a: { state: 'live', epoch: 'e2', from: 5, to: 4 } } }, message(5, { epoch: 'e2' }));
  assert.deepEqual(await positions(), { a: { epoch: 'e2', seq: 5 } });
  leader.sockets.last.receive({ type: 'resumed', threads: { a: { state: 'unavailable' } } });
  assert.deepEqual(await positions(), { a: { epoch: 'e2', seq: 5 } });
  leader.sockets.last.receive({ type: 'resumed', threads: { a: { state: 'page', epoch: 'e2', from: 6, to: 9_000 } } });
  assert.deepEqual(await positions(), {});
});

test('after a rollback the server is asked for the count, and all tabs learn it', async (context) => {
  const leader = await leading(context, {
    rest: (path) => (path === '/v1/threads/a' ? thread({ epoch: 'e2', seq: 2, unread: 1, read_seq: 1 }) : { threads: [] }),
  });
  leader.sockets.last.receive({ type: 'resumed', threads: { a: { state: 'rolled_back', epoch: 'e2', from: 3, to: 4 } } });
  const isTold = () => leader.tab.messages.some(({ listed }) => listed?.length === 1);
  await until(isTold, 'the list');
  const [{ seq, unread }] = leader.engine.snapshot().threads;
  assert.deepEqual([seq, unread], [2, 1]);
  leader.sockets.last.receive(message(3, { epoch: 'e2' }));
  assert.equal(leader.engine.snapshot().threads[0].unread, 2);
});

test('a full outbox refuses, and says so', async (context) => {
  const leader = await leading(context);
  for (let number = 0; number < CAPACITY; number += 1) assert.equal(await leader.engine.handle({ do: 'enqueue', entry: entry(`${number}`) }), true);
  assert.equal(await leader.engine.handle({ do: 'enqueue', entry: entry('more') }), false);
  assert.equal(await leader.engine.handle({ do: 'enqueue', entry: entry('7') }), true, 'what it has already is no more');
  assert.equal(leader.tab.outbox.length, CAPACITY);
});

test('messages of one thread are sent one after the other, and those of two threads side by side', async (context) => {
  const leader = await leading(context, { answer: () => [] });
  for (const [id, room] of [['1', 'a'], ['2', 'a'], ['3', 'b']]) await leader.engine.handle({ do: 'enqueue', entry: entry(id, { thread: room }) });
  await settled();
  assert.deepEqual(leader.commands('message').map((each) => each.client_id), ['1', '3']);
  const { ref } = leader.sockets.last.sent.find((command) => command.message?.client_id === '1');
  leader.sockets.last.receive({ type: 'ack', level: 'accepted', ref });
  await settled();
  assert.deepEqual(leader.commands('message').map((each) => each.client_id), ['1', '3', '2']);
});

test('a read mark that is newer than the one on its way is sent after it', async (context) => {
  const leader = await leading(context, { threads: [thread({ unread: 2, read_seq: 2 })] });
  const mark = (seq, at) => leader.engine.handle({ do: 'enqueue', entry: { id: 'read:a', op: 'read', thread: 'a', seq, at, order: at } });
  await mark(3, 1);
  await mark(4, 2);
  await settled();
  const [first, second] = leader.sockets.last.sent.filter((command) => command.read);
  assert.deepEqual([first.read.seq, second.read.seq], [3, 4]);
  leader.sockets.last.receive({ type: 'ack', ref: first.ref });
  await settled();
  assert.deepEqual(leader.states(), ['read:a sending'], 'the answer to the first does not end the second');
  leader.sockets.last.receive({ type: 'ack', ref: second.ref });
  await settled();
  assert.deepEqual([leader.states(), leader.engine.snapshot().threads[0].unread], [[], 0]);
});

test('what may be tried again waits as long as the server asks for', async (context) => {
  const leader = await leading(context, { answer: () => refusal('busy', { retryable: true, retry_after_ms: 60_000 }) });
  await leader.engine.handle({ do: 'enqueue', entry: entry('c') });
  await settled();
  assert.deepEqual(leader.states(), ['c waiting']);
  assert.ok(leader.tab.outbox[0].notBefore > Date.now() + 50_000);
  assert.equal(leader.commands('message').length, 1);
});

test('an edit that is refused is said and forgotten', async (context) => {
  const leader = await leading(context, { answer: () => refusal('forbidden') });
  await leader.engine.handle({ do: 'enqueue', entry: entry('e', { op: 'edit', messageID: 'm' }) });
  await settled();
  assert.deepEqual(leader.states(), []);
  assert.deepEqual(leader.tab.messages.filter(({ refused }) => refused), [{ refused: { op: 'edit', code: 'forbidden', message: 'forbidden' } }]);
});

test('what is on its way cannot be taken back, and what waits or has failed can', async (context) => {
  const leader = await leading(context);
  for (const id of ['1', '2']) await leader.engine.handle({ do: 'enqueue', entry: entry(id) });
  await settled();
  for (const id of ['1', '2', 'gone']) await leader.engine.handle({ do: 'discard', id });
  assert.deepEqual(leader.states(), ['1 sending']);
});

test('the next page finds the outbox on this device, in its order, and sends it', async (context) => {
  const database = new FakeDatabase();
  database.stores.outbox = [entry('1', { order: 2, state: 'sending' }), entry('2', { order: 1, state: 'accepted' }), entry('3', { order: 3, state: 'failed' })];
  const leader = await leading(context, { database, answer: ({ message: sent }) => (sent ? stored : []) });
  await until(() => leader.tab.outbox.length === 1);
  assert.deepEqual(leader.commands('message').map((each) => each.client_id), ['2', '1']);
  assert.deepEqual(leader.states(), ['3 failed']);
});

test('a hello of another user ends the session', async (context) => {
  const leader = await leading(context);
  leader.sockets.last.receive(hello({ user: { id: 'other' } }));
  assert.equal(leader.tab.isSignedOut, true);
});

test('requests that this version does not know have no answer', async (context) => {
  const leader = await leading(context);
  assert.equal(await leader.engine.handle({ do: 'dance' }), undefined);
});

test('an edit is in the outbox, and on this device, until its event has arrived', async (context) => {
  const leader = await leading(context, { answer: () => [{ type: 'ack', thread_id: 'a', epoch: 'e1', seq: 5 }] });
  await leader.engine.handle({ do: 'enqueue', entry: entry('e', { op: 'edit', messageID: 'm' }) });
  await settled();
  assert.deepEqual([leader.states(), leader.database.stores.outbox.length], [['e accepted'], 1]);
  leader.sockets.last.receive({ type: 'edited', thread_id: 'a', epoch: 'e1', seq: 5, message_seq: 2, text: 'new', date_ms: 1 });
  await settled();
  assert.deepEqual([leader.states(), leader.database.stores.outbox.length], [[], 0]);
});

test('an acknowledged deletion or reaction whose log is lost is sent again', async (context) => {
  for (const op of ['delete', 'react']) {
    const leader = await leading(context, { answer: (command) => (command[op] ? [{ type: 'ack', thread_id: 'a', epoch: 'e1', seq: 5 }] : []) });
    await leader.engine.handle({ do: 'enqueue', entry: entry('e', { op, messageID: 'm', emoji: '+', on: true }) });
    await settled();
    leader.sockets.last.receive({ type: 'resumed', threads: { a: { state: 'rolled_back', epoch: 'e2', from: 5, to: 5 } } });
    await leader.engine.handle({ do: 'enqueue', entry: entry('d', { thread: 'b' }) });
    await settled();
    assert.equal(leader.commands(op).length, 2, op);
  }
});

test('the count after a gap is asked for until an answer is as new as the gap, and all tabs learn it', async (context) => {
  let answers = 0;
  const leader = await leading(context, {
    rest: (path) => {
      if (path !== '/v1/threads/a') return { threads: [] };
      answers += 1;
      return thread(answers === 1 ? { seq: 4, unread: 0 } : { seq: 9, unread: 5 });
    },
  });
  leader.sockets.last.receive({ type: 'behind', threads: { a: { from: 5, to: 9 } } });
  await until(() => leader.tab.messages.some(({ count }) => count), 'the count', 10_000);
  assert.deepEqual(leader.tab.messages.filter(({ count }) => count), [{ count: { id: 'a', unread: 5, readSeq: 4 } }]);
  assert.equal(leader.engine.snapshot().threads[0].unread, 5);
});

test('a request waits until the stored data is loaded, and has no answer of a tab that is stopped', async (context) => {
  const database = new FakeDatabase();
  database.stores.outbox = [entry('1')];
  let load;
  const isReady = new Promise((resolve) => { load = resolve; });
  const slow = { ...database, transact: async (...parameters) => { await isReady; return database.transact(...parameters); } };
  const engine = new Engine({ id: 'me' }, slow, () => {}, () => {}, { url: 'ws://server/chat', rest: new Rest(), WebSocket: new FakeSockets().WebSocket });
  context.after(() => engine.stop());
  engine.start();
  const snapshot = engine.handle({ do: 'snapshot' });
  load();
  assert.deepEqual((await snapshot).outbox.map(({ id }) => id), ['1']);
  engine.stop();
  await assert.rejects(engine.handle({ do: 'snapshot' }), { code: 'disconnected' });
});

test('an entry that its tab has stored is taken if it is still there, since another tab may have sent it since', async (context) => {
  const leader = await leading(context);
  leader.database.stores.outbox = [entry('1')];
  for (const id of ['1', 'gone']) assert.equal(await leader.engine.handle({ do: 'enqueue', entry: entry(id), isStored: true }), true);
  await settled();
  assert.deepEqual([leader.database.stores.outbox.map(({ id }) => id), leader.tab.outbox.map(({ id }) => id)], [['1'], ['1']]);
});

test('a read mark that another device has passed is not sent', async (context) => {
  const leader = await leading(context, { threads: [thread({ seq: 9, unread: 5, read_seq: 4 })] });
  leader.sockets.last.end(1006);
  await leader.engine.handle({ do: 'enqueue', entry: { id: 'read:a', op: 'read', thread: 'a', seq: 6, at: 1, order: 1 } });
  leader.engine.handle({ do: 'reconnect' });
  await settled();
  assert.deepEqual(leader.commands('read').map(({ seq }) => seq), [6]);
  leader.sockets.last.end(1006);
  await settled();
  assert.deepEqual(leader.states(), ['read:a waiting']);
  leader.sockets.threads = [thread({ seq: 9, unread: 1, read_seq: 8 })];
  leader.engine.handle({ do: 'reconnect' });
  await settled();
  assert.deepEqual([leader.commands('read').length, leader.states()], [1, []]);
});

test('a message whose files cannot be asked for after not_found waits, instead of having failed', async (context) => {
  const leader = await leading(context, { answer: () => refusal('not_found') });
  const files = [{ name: 'x', type: 'x/y', size: 1, attachment: 'f1', isComplete: true }];
  await leader.engine.handle({ do: 'enqueue', entry: entry('c', { files }) });
  await until(() => leader.states()[0] === 'c waiting', 'the pause');
});

test('what is taken back is said to all tabs', async (context) => {
  const leader = await leading(context, { answer: () => refusal('forbidden') });
  await leader.engine.handle({ do: 'enqueue', entry: entry('c') });
  await settled();
  await leader.engine.handle({ do: 'discard', id: 'c' });
  assert.deepEqual([leader.tab.messages.filter(({ discarded }) => discarded), leader.states()], [[{ discarded: 'c' }], []]);
});

const muted = (mute) => ({ type: 'mute', thread_id: 'a', mute });
const muteOf = ({ engine }) => engine.snapshot().threads[0].mute;

test('a mute is on this device, and what hello says after a restart replaces it', async (context) => {
  const database = new FakeDatabase();
  const first = await leading(context, { database });
  first.sockets.last.receive(muted({ until_ms: 1e15, reason: 'spam' }));
  await until(() => database.stores.threads.length > 0, 'the stored list');
  first.engine.stop();
  for (const [mute, expected] of [[{ until_ms: 2e15 }, { untilMs: 2e15 }], [undefined, null]]) {
    const next = await leading(context, { database, threads: [thread({ mute })] });
    const [{ snapshot }] = next.tab.messages;
    assert.deepEqual(snapshot.threads[0].mute, { untilMs: 1e15, reason: 'spam' }, 'without a connection');
    assert.deepEqual(muteOf(next), expected);
    next.engine.stop();
  }
});

test('a list that was requested before a mute, its end or a hello does not replace what they say', async (context) => {
  const waiting = [];
  const leader = await leading(context, { rest: (path) => (path.startsWith('/v1/threads') ? new Promise((resolve) => { waiting.push(resolve); }) : {}) });
  const answer = async (mute) => {
    waiting.shift()({ threads: [thread({ mute, title: 'Renamed' })], next_cursor: null });
    await settled();
  };
  leader.sockets.last.receive(muted({ reason: 'spam' }));
  await answer(undefined);
  const [{ listed }] = leader.tab.messages.filter((each) => each.listed);
  assert.deepEqual([muteOf(leader), listed[0].mute, listed[0].title], [{ reason: 'spam' }, { reason: 'spam' }, 'Renamed']);
  leader.engine.handle({ do: 'refresh' });
  await settled();
  leader.sockets.last.receive(muted(null));
  await answer({ reason: 'spam' });
  assert.equal(muteOf(leader), null);
  leader.engine.handle({ do: 'refresh' });
  await settled();
  leader.sockets.last.receive(hello({ threads: [thread({ mute: { reason: 'missed' } })] }));
  await answer(undefined);
  assert.deepEqual(muteOf(leader), { reason: 'missed' });
  leader.engine.handle({ do: 'refresh' });
  await settled();
  leader.sockets.last.receive(muted(7));
  await answer(undefined);
  assert.equal(muteOf(leader), null, 'a value that is not a mute tells nothing');
});

test('an answer about one thread does not replace a mute either', async (context) => {
  let settle;
  const leader = await leading(context, { rest: (path) => (path === '/v1/threads/a' ? new Promise((resolve) => { settle = resolve; }) : { threads: [] }) });
  leader.sockets.last.receive({ type: 'behind', threads: { a: { from: 5, to: 9 } } });
  await until(() => settle, 'the request');
  leader.sockets.last.receive(muted({}));
  settle(thread({ seq: 9, unread: 5 }));
  await until(() => leader.engine.snapshot().threads[0].unread === 5);
  assert.deepEqual(muteOf(leader), {});
});

test('the difference of the clocks is said to all tabs, also to later ones', async (context) => {
  context.mock.method(Date, 'now', () => 5_000);
  const leader = await leading(context, { time: 7_500 });
  assert.deepEqual(leader.tab.messages.filter(({ offset }) => offset !== undefined), [{ offset: 2_500 }]);
  assert.equal(leader.engine.snapshot().offset, 2_500);
  const without = await leading(context, { time: 'noon' });
  assert.equal(without.engine.snapshot().offset, undefined);
});
