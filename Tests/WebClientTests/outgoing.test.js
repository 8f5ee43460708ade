import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from './support/globals.js';
import { CAPACITY, unsentCount, withRetry } from '../../Sources/CWebClient/files/client/outbox.js';
import { Outgoing } from '../../Sources/CWebClient/files/client/outgoing.js';

/** What a tab sends, with a device that keeps everything and a leading tab that takes everything. */
const outgoingOf = (host) => new Outgoing({ isOver: false, changed: () => {}, transact: async () => true, request: async () => true, ...host });

test('a message that is still being kept on this device stays in the outbox of its tab, whatever the leading tab has', async () => {
  let [keep, take] = [];
  const requests = [];
  const outgoing = outgoingOf({
    transact: () => new Promise((resolve) => { keep = () => resolve(true); }),
    request: (body) => {
      requests.push(body.entry);
      return new Promise((resolve) => { take = () => resolve(true); });
    },
  });
  const other = { id: 'other', op: 'message', thread: 'a', state: 'waiting' };
  const count = () => unsentCount(outgoing.outbox);
  outgoing.send('a', 'hi', {});
  outgoing.replaced([other]);
  assert.equal(count(), 2);
  keep();
  await settled();
  outgoing.replaced([]);
  assert.equal(count(), 1);
  outgoing.replaced([other, ...requests]);
  assert.equal(count(), 2);
  take();
  await settled();
  outgoing.replaced([other]);
  assert.equal(count(), 1);
});

test('what is sent now comes after what waits, also in the next page, even if the clock was ahead or one is tried again', () => {
  const outgoing = outgoingOf();
  const order = (Date.now() + 3_600_000) * 1000;
  const ahead = [1, 2].map((number) => ({ id: `${number}`, op: 'message', thread: 'a', state: 'failed', order: order + number }));
  outgoing.replaced(withRetry(ahead, '1'));
  outgoing.send('a', 'hi', {});
  const inOrder = [...outgoing.outbox].sort((one, other) => one.order - other.order);
  assert.deepEqual(inOrder.map((each) => each.text ?? each.id), ['2', '1', 'hi']);
});

test('messages of one millisecond keep their order', () => {
  const outgoing = outgoingOf();
  for (let number = 0; number < 50; number += 1) outgoing.send('a', `${number}`, {});
  const orders = outgoing.outbox.map((entry) => entry.order);
  assert.deepEqual([...new Set(orders)].sort((one, other) => one - other), orders);
});

test('a full outbox takes nothing more, and says so, until there is room', () => {
  const requests = [];
  const outgoing = outgoingOf({ transact: async () => false, request: async (body) => requests.push(body) });
  for (let number = 0; number < CAPACITY; number += 1) assert.ok(outgoing.send('a', 'hi', {}));
  assert.equal(outgoing.send('a', 'more', {}), null);
  assert.equal(outgoing.add({ op: 'react', thread: 'a', messageID: 'm', emoji: '+', on: true }), false);
  assert.equal(outgoing.outbox.length, CAPACITY);
});

test('what the leading tab has no room for stays in its tab, and is given to the leading tab again when it has', async () => {
  const requests = [];
  let hasRoom = false;
  const outgoing = outgoingOf({
    request: async ({ entry }) => {
      requests.push(entry.text);
      return hasRoom;
    },
  });
  const others = Array.from({ length: CAPACITY }, (_, number) => ({ id: `${number}`, op: 'message', thread: 'b', state: 'waiting' }));
  outgoing.send('a', 'one', {});
  outgoing.send('a', 'two', {});
  await settled();
  outgoing.replaced(others);
  await settled();
  assert.deepEqual([requests, outgoing.pending('a', []).map((entry) => entry.text)], [['one', 'two'], ['one', 'two']]);
  hasRoom = true;
  for (const count of [198, 197]) {
    outgoing.replaced(others.slice(0, count));
    await settled();
  }
  assert.deepEqual(requests, ['one', 'two', 'one', 'two']);
  outgoing.replaced(others.slice(0, 1));
  assert.deepEqual(outgoing.outbox.map((entry) => entry.id), ['0']);
});

test('files that do not fit are refused with their message', () => {
  const outgoing = outgoingOf();
  const file = (size) => ({ name: 'x', type: 'x/y', size, blob: new Blob([]) });
  assert.ok(outgoing.send('a', '', { files: [file(4e8)] }));
  assert.equal(outgoing.send('a', '', { files: [file(1e8), file(1)] }), null);
  assert.equal(outgoing.outbox.length, 1);
});

test('a leading tab that goes is asked again, four times, and not after the session has ended', async () => {
  let count = 0;
  const refuse = async () => {
    count += 1;
    throw new Error();
  };
  outgoingOf({ request: refuse }).send('a', 'hi', {});
  await settled();
  assert.equal(count, 4);
  outgoingOf({ request: refuse, isOver: true }).send('a', 'hi', {});
  await settled();
  assert.equal(count, 4);
});

test('bytes of files go to the leading tab only if this device did not keep them', async () => {
  const requests = [];
  const files = [{ name: 'x', type: 'x/y', size: 1, blob: new Blob(['x']) }];
  for (const areKept of [true, false]) {
    outgoingOf({ transact: async () => areKept, request: async (body) => requests.push(body) }).send('a', '', { files });
  }
  await settled();
  assert.deepEqual(requests.map(({ blobs, isStored }) => [blobs?.length ?? 0, isStored]), [[0, true], [1, false]]);
  assert.ok(requests.every(({ entry }) => entry.files.every((file) => file.blob === undefined)));
});

test('read marks do not wait for this device', () => {
  const requests = [];
  const outgoing = outgoingOf({ transact: () => new Promise(() => {}), request: async ({ entry }) => requests.push(entry.op) });
  outgoing.add({ id: 'read:a', op: 'read', thread: 'a', seq: 7 });
  assert.deepEqual(requests, ['read']);
});

test('a message is pending until its row arrives, and changes are those of its thread', () => {
  const outgoing = outgoingOf();
  outgoing.replaced([
    { id: 'c1', op: 'message', thread: 'a' }, { id: 'c2', op: 'message', thread: 'a' }, { id: 'e', op: 'edit', thread: 'a', messageID: 'm' },
    { id: 'r', op: 'react', thread: 'a', messageID: 'm' }, { id: 'd', op: 'delete', thread: 'b', messageID: 'm' },
  ]);
  assert.deepEqual(outgoing.pending('a', [{ client_id: 'c1' }]).map((entry) => entry.id), ['c2']);
  assert.deepEqual([...outgoing.changes('a')].map(([id, all]) => [id, all.map((entry) => entry.id)]), [['m', ['e', 'r']]]);
});

test('progress is that of uploads', () => {
  const outgoing = outgoingOf();
  outgoing.progress.set('1', {});
  outgoing.progress.set('2', {});
  outgoing.replaced([{ id: '1', op: 'message', thread: 'a', state: 'uploading' }, { id: '2', op: 'message', thread: 'a', state: 'sending' }]);
  assert.deepEqual([...outgoing.progress.keys()], ['1']);
});

test('an entry that the leading tab has sent already is no longer in the outbox, though it was never shown in one', async () => {
  const outgoing = outgoingOf({ transact: async () => true, request: async () => true });
  outgoing.send('a', 'hi', {});
  assert.equal(outgoing.outbox.length, 1);
  await settled();
  assert.deepEqual(outgoing.outbox, []);
});

test('an entry that no leading tab has answered for is given to the leading tab again, and is stored once', async () => {
  let [stores, count, isAnswered] = [0, 0, false];
  const outgoing = outgoingOf({
    transact: async () => {
      stores += 1;
      return true;
    },
    request: async () => {
      count += 1;
      if (!isAnswered) throw new Error();
    },
  });
  outgoing.send('a', 'hi', {});
  await settled();
  isAnswered = true;
  outgoing.replaced([]);
  await settled();
  assert.deepEqual([stores, count, outgoing.outbox], [1, 5, []]);
});
