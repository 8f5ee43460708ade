import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache } from '../../Sources/CWebClient/files/client/cache.js';
import { FakeDatabase, IDBKeyRange } from './support/database.js';
import { change, message, page, seqsOf } from './support/values.js';

globalThis.IDBKeyRange = IDBKeyRange;

/** A cache that has messages 8 to 10 of thread `a`. */
async function kept() {
  const database = new FakeDatabase();
  const cache = new Cache(database);
  cache.page('a', page([8, 9, 10], { hasBefore: true }), {}, 0);
  await cache.flush();
  return { cache, database };
}

const position = (cache) => cache.positions.get('a');

test('a tab that has lost the lead keeps nothing of what it had not kept yet', async () => {
  const counts = [];
  for (const end of ['flush', 'abandon']) {
    const written = [];
    const database = {
      transact: async (names, mode, body, fallback) => {
        if (mode === 'readwrite') written.push(names);
        return mode === 'readonly' ? [{ id: 'a', epoch: 'e1', from: 1, to: 4 }] : fallback;
      },
    };
    const cache = new Cache(database);
    await cache.load();
    cache.event(message(5));
    await cache[end]();
    cache.event(message(6));
    if (end === 'abandon') await cache.flush();
    counts.push(written.length);
    cache.abandon();
  }
  assert.deepEqual(counts, [1, 0]);
});

test('events go on where the kept part ends, and no others', async () => {
  const { cache } = await kept();
  for (const event of [message(12), message(10), message(11, { epoch: 'e2' }), message(11, { thread: 'b' })]) cache.event(event);
  assert.deepEqual(position(cache), { epoch: 'e1', seq: 10 });
  cache.event(message(11));
  const timeline = await cache.timeline('a');
  assert.deepEqual([position(cache).seq, timeline.from, timeline.to, seqsOf(timeline)], [11, 8, 11, [8, 9, 10, 11]]);
});

test('a change of a kept row changes it, and one of a missing row only counts', async () => {
  const { cache } = await kept();
  cache.event(change('edited', { seq: 11, message_seq: 9, text: 'new' }));
  cache.event(change('deleted', { seq: 12, message_seq: 3 }));
  const { rows, to } = await cache.timeline('a');
  assert.deepEqual([rows.map((row) => row.text), to, cache.earlierChanges('a')], [['hi', 'new', 'hi'], 12, 1]);
});

test('an older page is kept if it was asked for after the last change of what is before', async () => {
  const { cache } = await kept();
  cache.event(change('deleted', { seq: 11, message_seq: 7 }));
  cache.page('a', page([6, 7], { hasBefore: true }), { before: 8 }, 0);
  assert.deepEqual(seqsOf(await cache.timeline('a')), [8, 9, 10]);
  cache.page('a', page([6, 7], { hasBefore: true }), { before: 8 }, 1);
  assert.deepEqual(seqsOf(await cache.timeline('a')), [6, 7, 8, 9, 10]);
});

test('pages that do not continue what is kept are not kept', async () => {
  const { cache } = await kept();
  cache.page('a', page([2, 3], { hasBefore: true }), { before: 4 }, 0);
  cache.page('a', page([12, 13], { head: 13 }), { after: 11 }, 0);
  cache.page('a', page([11, 12], { head: 12, epoch: 'e2' }), { after: 10 }, 0);
  cache.page('a', page([6, 7], { epoch: 'e2' }), { before: 8 }, 0);
  cache.page('b', page([6, 7]), { before: 8 }, 0);
  const timeline = await cache.timeline('a');
  assert.deepEqual([seqsOf(timeline), timeline.from, timeline.to, await cache.timeline('b')], [[8, 9, 10], 8, 10, null]);
});

test('the newest page replaces what it does not touch, and of another numbering', async () => {
  for (const [newest, from, to, seqs] of [
    [page([10, 11], { hasBefore: true }), 8, 11, [8, 9, 10, 11]], [page([12, 13], { hasBefore: true }), 12, 13, [12, 13]],
    [page([8, 9], { hasBefore: true, epoch: 'e2' }), 8, 9, [8, 9]], [page([8, 9], { hasBefore: true }), 8, 9, [8, 9]],
  ]) {
    const { cache } = await kept();
    cache.page('a', newest, {}, 0);
    const timeline = await cache.timeline('a');
    assert.deepEqual([timeline.from, timeline.to, seqsOf(timeline), timeline.epoch], [from, to, seqs, newest.epoch]);
  }
});

test('a page that continues what is kept changes the earlier messages too', async () => {
  const { cache } = await kept();
  const newest = page([10, 11], { hasBefore: true, head: 13 });
  newest.events.push(change('deleted', { seq: 12, message_seq: 8 }), change('edited', { seq: 13, message_seq: 11, text: 'old' }));
  cache.page('a', newest, {}, 0);
  const { rows, to } = await cache.timeline('a');
  assert.deepEqual([rows.map(({ text, deleted }) => deleted ?? text), to], [[true, 'hi', 'hi', 'hi'], 13]);
});

test('a thread without events has no position', async () => {
  const cache = new Cache(new FakeDatabase());
  cache.page('a', page([], { epoch: '' }), {}, 0);
  assert.deepEqual([...cache.positions], []);
});

test('what the device had no room for is not hidden by what it keeps next', async () => {
  const { cache, database } = await kept();
  database.fails = () => true;
  cache.event(message(11));
  await cache.flush();
  database.fails = () => false;
  cache.event(message(12));
  assert.deepEqual([await cache.timeline('a'), position(cache)], [null, undefined]);
  cache.page('a', page([11, 12], { hasBefore: true }), {}, 0);
  assert.deepEqual(seqsOf(await cache.timeline('a')), [11, 12]);
});

test('of forty threads and more the ones used last are kept, with their rows', async (context) => {
  let now = 0;
  context.mock.method(Date, 'now', () => { now += 1; return now; });
  const database = new FakeDatabase();
  const cache = new Cache(database);
  for (let number = 0; number < 42; number += 1) cache.page(`t${number}`, { ...page([1]), events: [message(1, { thread: `t${number}` })] }, {}, 0);
  await cache.flush();
  assert.deepEqual([cache.positions.size, cache.positions.has('t1'), cache.positions.has('t2')], [40, false, true]);
  assert.deepEqual([database.stores.segments.length, database.stores.rows.length], [40, 40]);
});

test('of a long thread the newest rows are kept', async () => {
  const { cache, database } = await kept();
  for (let seq = 11; seq <= 1_010; seq += 1) cache.event(message(seq));
  await cache.flush();
  const { rows } = database.stores;
  const [segment] = database.stores.segments;
  assert.deepEqual([segment.from, segment.to, rows[0].seq, rows.at(-1).seq], [510, 1_010, 510, 1_010]);
  cache.event(message(1_011));
  const timeline = await cache.timeline('a');
  assert.deepEqual([timeline.from, timeline.rows[0].seq], [510, 510], 'what is dropped is not claimed later');
});

test('a numbering that goes on under another epoch is followed, and one that is unknown is not', async () => {
  const { cache } = await kept();
  cache.continued('a', 'e2');
  assert.deepEqual(position(cache), { epoch: 'e2', seq: 10 });
  cache.event(message(11, { epoch: 'e2' }));
  const timeline = await cache.timeline('a');
  assert.deepEqual([timeline.epoch, seqsOf(timeline)], ['e2', [8, 9, 10, 11]]);
  cache.continued('a', undefined);
  cache.continued('b', 'e2');
  assert.deepEqual([...cache.positions], [['a', { epoch: 'e2', seq: 11 }]]);
});

test('a tab that was suspended writes nothing over what another one has kept since, and goes on from there', async () => {
  const { cache: asleep, database } = await kept();
  asleep.event(message(11));
  const leader = new Cache(database);
  await leader.load();
  leader.page('a', page([20, 21], { hasBefore: true }), {}, 0);
  await leader.flush();
  await asleep.flush();
  const stored = async () => seqsOf(await new Cache(database).timeline('a'));
  assert.deepEqual([await stored(), position(asleep)], [[20, 21], { epoch: 'e1', seq: 21 }]);
  asleep.event(message(22));
  await asleep.flush();
  assert.deepEqual(await stored(), [20, 21, 22]);
});
