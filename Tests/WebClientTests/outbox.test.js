import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Delivery } from '../../Sources/CWebClient/files/client/delivery.js';
import * as outbox from '../../Sources/CWebClient/files/client/outbox.js';
import { golden } from './support/fixtures.js';
import { message } from './support/values.js';
import { FakeDatabase } from './support/database.js';
import { settled } from './support/globals.js';

/** Two messages to thread `a` and one to `b`. */
const entries = ['1', '2', '3'].map((id) => ({ id, op: 'message', thread: id === '3' ? 'b' : 'a', state: 'waiting' }));
const due = (all, now = 10) => outbox.due(all, now).map((entry) => entry.id).join();
const changed = (id, change) => outbox.withChange(entries, id, change);

test('of each thread one entry is sent at a time, in order, and what was refused holds up nothing', () => {
  assert.equal(due(entries), '1,3');
  assert.equal(due(changed('1', { state: 'sending' })), '3');
  assert.equal(due(changed('1', { state: 'failed' })), '2,3');
  assert.equal(due(changed('1', { state: 'accepted' })), '2,3');
  assert.equal(due(changed('1', { state: 'waiting', notBefore: 11 })), '3');
});

test('an entry that waits for a moment is due at that moment, and holds up its thread until then', () => {
  const all = changed('1', { notBefore: 11 });
  assert.deepEqual([10, 11, 12].map((now) => due(all, now)), ['3', '1,3', '1,3']);
});

test('after a cut everything that is not stored is sent again, under the same id, but not what was refused', () => {
  const all = outbox.withChange(changed('1', { state: 'accepted' }), '3', { state: 'failed' });
  assert.equal(due(outbox.interrupted(all)), '1');
});

test('a cut ends the pause that a server asked for', () => {
  assert.equal(due(outbox.interrupted(changed('1', { notBefore: 1e15 }))), '1,3');
});

test('a retry is the newest of its thread', () => {
  assert.deepEqual(outbox.withRetry(changed('1', { state: 'failed' }), '1').map((entry) => entry.id), ['2', '3', '1']);
});

test('a retry of what is gone changes nothing, and one of the only entry is the first', () => {
  assert.equal(outbox.withRetry(entries, 'gone'), entries);
  assert.deepEqual(outbox.withRetry([], 'gone'), []);
  const [only] = outbox.withRetry([{ id: '1', op: 'message', thread: 'a', state: 'failed', error: 'x', attempts: 4, notBefore: 9 }], '1');
  assert.deepEqual([only.state, only.error, only.attempts, only.notBefore, only.order], ['waiting', undefined, 0, 0, 1]);
});

test('a read mark replaces the one before', () => {
  const all = [1, 2].reduce((sum, seq) => outbox.withEntry(sum, { id: 'read:a', seq }), []);
  assert.deepEqual(all.map((entry) => entry.seq), [2]);
});

test('it is full at 200', () => {
  let all = [];
  for (let number = 0; number < outbox.CAPACITY; number += 1) all = outbox.withEntry(all, { id: `${number}` });
  assert.equal(all.length, 200);
  assert.equal(outbox.withEntry(all, { id: 'more' }), null);
});

test('a full one takes a newer entry of the same id, and another one once an entry is gone', () => {
  let all = Array.from({ length: outbox.CAPACITY }, (_, number) => ({ id: `${number}` }));
  all = outbox.withEntry(all, { id: '7', text: 'new' });
  assert.equal(all.length, 200);
  assert.deepEqual(all.at(-1), { id: '7', text: 'new', state: 'waiting' });
  assert.equal(outbox.withEntry(outbox.without(all, '0'), { id: 'more' }).length, 200);
});

test('commands are those of the protocol', () => {
  const commands = [
    { op: 'message', id: 'c', thread: 'a', text: 'hi', replyTo: 3 }, { op: 'edit', thread: 'a', messageID: 'm', text: 'ho' },
    { op: 'delete', thread: 'a', messageID: 'm' }, { op: 'react', thread: 'a', messageID: 'm', emoji: 'x', on: true },
    { op: 'read', id: 'read:a', thread: 'a', seq: 7 },
  ].map(outbox.commandOf);
  assert.deepEqual(commands, [
    { message: { id: 'a', text: 'hi', client_id: 'c', ack: 'stored', reply_to: 3 } },
    { edit: { id: 'a', message_id: 'm', text: 'ho' } },
    { delete: { id: 'a', message_id: 'm' } },
    { react: { id: 'a', message_id: 'm', emoji: 'x', on: true } },
    { read: { id: 'a', seq: 7 } },
  ]);
});

test('commands have the fields of the golden frames, and no others', () => {
  const fieldsOf = (frame, name) => Object.keys(frame[name]).sort();
  const entry = { id: 'c', thread: 'a', messageID: 'm', text: 'hi', emoji: 'x', on: true, seq: 7 };
  for (const op of ['edit', 'delete', 'react', 'read']) {
    assert.deepEqual(fieldsOf(outbox.commandOf({ ...entry, op }), op), fieldsOf(golden(op), op), op);
  }
  const { message: stored } = golden('message-stored');
  assert.deepEqual(fieldsOf(outbox.commandOf({ ...entry, op: 'message' }), 'message'), Object.keys({ ...stored }).sort());
});

test('a message shows its waiting edit and reaction, and a waiting deletion wins', () => {
  const shown = [
    [{ op: 'edit', text: 'new', at: 5 }, { op: 'react', emoji: 'x', on: true }], [{ op: 'edit', text: 'new' }, { op: 'delete' }],
  ].map((changes) => outbox.overlaid(message(1), changes, 'me'))
    .map(({ text, deleted, reactions }) => [text, deleted === true, reactions?.[0]?.users ?? null]);
  assert.deepEqual(shown, [['new', false, ['me']], ['', true, null]]);
});

test('while files are uploaded, later messages of the thread wait, and nothing else does', () => {
  const file = { op: 'message', thread: 'a', files: [{ isComplete: true }, {}] };
  const all = (state) => [
    { ...file, id: '1', state }, { id: '2', op: 'message', thread: 'a', state: 'waiting' },
    { id: '3', op: 'read', thread: 'a', state: 'waiting' }, { id: '4', op: 'message', thread: 'b', state: 'waiting' },
  ];
  const complete = [{ ...file, id: '1', state: 'waiting', files: [{ isComplete: true }] }, ...all('').slice(1)];
  assert.deepEqual([due(all('waiting')), due(all('uploading')), due(all('failed')), due(complete)], ['1,3,4', '3,4', '2,4', '1,4']);
  assert.equal(outbox.interrupted(all('uploading'))[0].state, 'uploading');
  assert.equal(outbox.restored(all('uploading'))[0].state, 'waiting');
  assert.equal(outbox.unsentCount(all('uploading')), 3);
});

test('files are sent as parts, in their order, after what else there is', () => {
  const entry = { op: 'message', id: 'c', thread: 'a', text: '', files: [{ attachment: 'x' }, {}] };
  const [complete] = outbox.withFile([entry], 'c', 1, { attachment: 'y' });
  assert.deepEqual(outbox.commandOf(complete).message.parts, [{ attachment: 'x' }, { attachment: 'y' }]);
  const location = { type: 'application/geo+json', data: {} };
  assert.deepEqual(outbox.commandOf({ ...complete, parts: [location] }).message.parts, [location, { attachment: 'x' }, { attachment: 'y' }]);
});

test('files may wait up to 500 MB in all', () => {
  assert.equal(outbox.hasRoom([{}], [{ size: 5e8 }]), true);
  assert.equal(outbox.hasRoom([{}], [{ size: 5e8 + 1 }]), false);
  assert.equal(outbox.hasRoom([{ files: [{ size: 1 }] }], [{ size: 5e8 }]), false);
  assert.equal(outbox.hasRoom([{ files: [{ size: 5e8 }] }], []), true);
});

test('what the log has is not pending, whoever of the devices of the user has sent it', () => {
  const all = [...entries, { id: '4', op: 'edit', thread: 'a', state: 'waiting' }];
  assert.deepEqual(outbox.pendingOf(all, 'a', (id) => id === '1').map((entry) => entry.id), ['2']);
});

test('an acknowledged change stays until its event has arrived, and is sent again only if it may be void', () => {
  const change = { id: 'e', op: 'edit', thread: 'a', state: 'accepted', epoch: 'e1', seq: 7 };
  const settled = (head) => outbox.settled([change], () => head);
  assert.deepEqual([{ epoch: 'e1', seq: 6 }, { epoch: 'e1', seq: 7 }, { epoch: 'e2', seq: 9 }, undefined].map(settled), [[], ['e'], [], ['e']]);
  assert.equal(outbox.interrupted([change])[0].state, 'accepted');
  const after = (states, epoch = 'e2') => outbox.resumed([change], states, () => ({ epoch, seq: 6 })).map(({ state, epoch: its }) => `${state} ${its}`).join();
  assert.deepEqual(
    [{ a: { state: 'rolled_back', epoch: 'e2' } }, { a: { state: 'live', epoch: 'e2' } }, { a: { state: 'unavailable' } }, {}].map((states) => after(states)),
    ['waiting e1', 'accepted e2', 'accepted e1', 'waiting e1']);
  assert.equal(after({}, 'e1'), 'accepted e1');
});

test('a tab that was suspended stores nothing of what another one has sent and removed since', async () => {
  const database = new FakeDatabase();
  const delivery = new Delivery({ database, rest: {}, head: () => undefined, emit: () => {}, isOpen: false });
  const entry = { id: 'c', op: 'message', thread: 'a', text: 'hi', state: 'failed', order: 1 };
  database.stores.outbox = [entry];
  delivery.restore([entry]);
  delivery.retry('c');
  await settled();
  assert.deepEqual(database.stores.outbox.map(({ state }) => state), ['waiting']);
  database.stores.outbox = [];
  delivery.retry('c');
  await settled();
  assert.deepEqual(database.stores.outbox, []);
  await delivery.enqueue({ entry: { ...entry, id: 'd' } });
  await settled();
  assert.deepEqual(database.stores.outbox.map(({ id }) => id), ['d']);
});
