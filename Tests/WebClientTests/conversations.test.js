import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conversations } from '../../Sources/CWebClient/files/client/conversations.js';
import { settled, until } from './support/globals.js';
import { message, page, seqsOf } from './support/values.js';

/** A host whose server has one thread; `requests` are the bounds it was asked for. */
function hostOf(fields) {
  const requests = [];
  const host = {
    requests, marks: [], isConnected: true, isOver: false, me: { id: 'me' }, kept: async () => null, head: () => ({ seq: 20, epoch: 'e1' }), changed: () => {},
    noted: (...mark) => host.marks.push(mark), read: (...mark) => host.marks.push(mark), closed: () => {},
    answer: () => page([18, 19, 20], { hasBefore: true }),
    history: async (id, bounds) => {
      requests.push(bounds);
      return host.answer(bounds);
    },
    ...fields,
  };
  return host;
}

/** A page with all events of a log of some length within bounds, at most `limit` of them. */
function part(length, { after, before = Infinity }, { epoch = 'e1', limit = 200 } = {}) {
  const all = Array.from({ length }, (_, index) => index + 1).filter((seq) => seq > (after ?? 0) && seq < before);
  const seqs = after === undefined ? all.slice(-limit) : all.slice(0, limit);
  return page(seqs, { epoch, head: length, hasBefore: seqs[0] > 1, hasAfter: seqs.at(-1) < length });
}

const retryable = () => Object.assign(new Error('cut'), { isRetryable: true });

test('a jump that cannot be loaded leaves the window where it is, and is made when the connection is back', async () => {
  const host = hostOf();
  host.answer = (bounds) => {
    if (bounds.after === undefined) return page([18, 19, 20], { hasBefore: true });
    if (!host.isConnected) throw retryable();
    return page([4, 5, 6], { hasAfter: true, head: 20 });
  };
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  host.isConnected = false;
  await all.jump(5);
  assert.deepEqual([all.target, seqsOf(all.timeline)], [null, [18, 19, 20]]);
  host.isConnected = true;
  await all.connected();
  await until(() => all.target !== null);
  assert.deepEqual([all.target, seqsOf(all.timeline)], [5, [4, 5, 6]]);
});

test('a thread is shown from this device first, and what is missing is loaded page by page', async () => {
  const host = hostOf({ head: () => ({ seq: 500, epoch: 'e1' }) });
  host.answer = (bounds) => part(500, bounds);
  host.kept = async () => ({ epoch: 'e1', from: 1, to: 50, rows: part(50, {}).events, earlier: [], isLoaded: true });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  assert.deepEqual(host.requests, [{ after: 50 }, { after: 250 }, { after: 450 }]);
  assert.deepEqual(seqsOf(all.timeline), Array.from({ length: 500 }, (_, index) => index + 1));
});

test('if more than 1,000 events are missing, only the newest page is loaded', async () => {
  const requests = async (seq) => {
    const host = hostOf({ head: () => ({ seq, epoch: 'e1' }), answer: (bounds) => part(seq, bounds) });
    host.kept = async () => ({ epoch: 'e1', from: 1, to: 50, rows: [message(50)], earlier: [], isLoaded: true });
    const all = new Conversations(host);
    all.open('a');
    await all.sync('a');
    assert.equal(all.timeline.to, seq);
    return host.requests.length;
  };
  assert.deepEqual([await requests(1_050), await requests(1_051)], [5, 1]);
});

test('a thread whose list is ahead of its log asks once, not for ever', async () => {
  const host = hostOf({ head: () => ({ seq: 25, epoch: 'e1' }), answer: (bounds) => part(20, bounds) });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  await all.sync('a');
  assert.deepEqual(host.requests, [{}, { after: 20 }]);
});

test('a numbering that starts over while older pages are loaded is loaded from its newest page', async () => {
  let epoch = 'e1';
  const host = hostOf({ head: () => ({ seq: 500, epoch: 'e1' }) });
  host.answer = (bounds) => part(500, bounds, { epoch });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  const { from } = all.timeline;
  epoch = 'e2';
  host.head = () => ({ seq: 500, epoch });
  await all.loadOlder();
  await settled();
  assert.deepEqual(host.requests, [{}, { before: from }, {}]);
  assert.deepEqual([all.timeline.epoch, all.timeline.to, all.isLoadingOlder], ['e2', 500, false]);
});

test('a numbering that starts over before this tab hears of it is loaded too, and asked for only once', async () => {
  let epoch = 'e1';
  const host = hostOf({ head: () => ({ seq: 500, epoch: 'e1' }) });
  host.answer = (bounds) => part(epoch === 'e1' ? 450 : 300, bounds, { epoch });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  epoch = 'e2';
  host.requests.length = 0;
  await all.sync('a');
  assert.deepEqual(host.requests, [{ after: 450 }, {}]);
  assert.deepEqual([all.timeline.epoch, all.timeline.to], ['e2', 300]);
});

test('the newest page of a new numbering is asked for again if an event of the former one comes before it', async () => {
  const host = hostOf();
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  host.head = () => ({ seq: 21, epoch: 'e2' });
  host.requests.length = 0;
  host.answer = (bounds) => {
    if (host.requests.length === 1) all.event(message(21));
    return part(21, bounds, { epoch: 'e2' });
  };
  await all.sync('a');
  assert.deepEqual([host.requests, all.timeline.epoch, all.timeline.to], [[{}, {}], 'e2', 21]);
});

test('a numbering that starts over twice is loaded twice', async () => {
  let epoch = 'e1';
  const host = hostOf({ head: () => ({ seq: 20, epoch }) });
  host.answer = () => {
    const answer = part(20, {}, { epoch });
    if (host.requests.length < 3) epoch = `e${host.requests.length + 1}`;
    return answer;
  };
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  assert.deepEqual([host.requests.length, all.timeline.epoch], [3, 'e3']);
});

test('a detached part whose numbering starts over gives way to the newest page', async () => {
  let epoch = 'e1';
  const host = hostOf({ head: () => ({ seq: 500, epoch }) });
  host.answer = (bounds) => part(500, bounds, { epoch });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  await all.jump(20);
  assert.equal(all.isAtHead, false);
  epoch = 'e2';
  await all.loadNewer();
  await settled();
  assert.deepEqual([all.isAtHead, all.timeline.epoch, all.timeline.to], [true, 'e2', 500]);
});

test('what was forgotten while a page of it was on its way is loaded anew', async () => {
  const host = hostOf({ head: () => ({ seq: 30, epoch: 'e1' }) });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  host.requests.length = 0;
  host.answer = (bounds) => {
    if (bounds.after !== undefined) all.forget('a');
    return part(bounds.after === undefined ? 20 : 25, bounds);
  };
  host.head = () => ({ seq: 20, epoch: 'e1' });
  all.forget('a');
  host.kept = async () => ({ epoch: 'e1', from: 1, to: 10, rows: part(10, {}).events, earlier: [], isLoaded: true });
  await all.sync('a');
  assert.deepEqual(host.requests, [{ after: 10 }, {}]);
  assert.equal(all.timeline.to, 20, 'nothing of the page that was on its way is shown');
});

test('a page that arrives after another thread was opened is kept for its own', async () => {
  let answer;
  const host = hostOf({ history: () => new Promise((resolve) => { answer = () => resolve(page([20])); }) });
  const all = new Conversations(host);
  all.open('a');
  const synced = all.sync('a');
  await settled();
  all.open('b');
  answer();
  await synced;
  assert.deepEqual([all.openID, seqsOf(all.timeline)], ['b', []]);
  all.open('a');
  assert.deepEqual(seqsOf(all.timeline), [20]);
});

test('of two jumps the later one is made, whichever answer comes first', async () => {
  const answers = new Map();
  const host = hostOf({ answer: (bounds) => part(1_000, bounds), head: () => ({ seq: 1_000, epoch: 'e1' }) });
  const { history } = host;
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  host.history = (id, bounds) => new Promise((resolve) => { answers.set(bounds.after, () => resolve(history(id, bounds))); });
  const jumps = [all.jump(200), all.jump(400)];
  answers.get(300)();
  answers.get(100)();
  await Promise.all(jumps);
  assert.deepEqual([all.target, all.timeline.from], [400, 301]);
});

test('a jump to the first and the last message stays within the log', async () => {
  for (const [seq, bounds] of [[1, { after: 0, before: 200 }], [Number.MAX_SAFE_INTEGER, { after: Number.MAX_SAFE_INTEGER - 100, before: Number.MAX_SAFE_INTEGER + 100 }]]) {
    const host = hostOf({ answer: (asked) => part(500, asked), head: () => ({ seq: 500, epoch: 'e1' }) });
    const all = new Conversations(host);
    all.open('a');
    await all.sync('a');
    await all.jump(seq);
    assert.deepEqual(host.requests.at(-1), bounds);
  }
});

test('a jump that the server refuses is said, and not tried again', async () => {
  const host = hostOf();
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  host.answer = () => { throw Object.assign(new Error('No such thread'), { isRetryable: false }); };
  await all.jump(5);
  assert.deepEqual([all.isJumping, all.threadError.message], [false, 'No such thread']);
});

test('an older page that cannot be loaded is said, and can be asked for again', async () => {
  const host = hostOf();
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  host.answer = () => { throw retryable(); };
  await all.loadOlder();
  assert.deepEqual([all.loadError.message, all.isLoadingOlder], ['cut', false]);
  host.answer = (bounds) => part(20, bounds);
  await all.loadOlder();
  assert.deepEqual([all.loadError, all.timeline.from], [null, 1]);
  const { length } = host.requests;
  await all.loadOlder();
  assert.equal(host.requests.length, length, 'there is nothing before the first message');
});

test('the conversations of twelve threads are kept in memory', async () => {
  const host = hostOf();
  const all = new Conversations(host);
  for (let number = 0; number < 14; number += 1) {
    all.open(`t${number}`);
    await all.sync(`t${number}`);
  }
  const isKept = (id) => {
    all.open(id);
    return all.timeline.isLoaded;
  };
  assert.deepEqual([isKept('t13'), isKept('t2'), isKept('t0')], [true, true, false]);
});

test('without a connection nothing is asked for', async () => {
  const host = hostOf({ isConnected: false });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  await all.loadAround(5);
  assert.deepEqual([host.requests, all.timeline.isLoaded], [[], false]);
});

test('a page that was read before a live edit does not bring the former text back', async () => {
  const host = hostOf({ head: () => ({ seq: 500, epoch: 'e1' }) });
  host.answer = (bounds) => part(500, bounds);
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  const { history } = host;
  const edit = { type: 'edited', thread_id: 'a', epoch: 'e1', seq: 501, message_seq: 50, text: 'new', date_ms: 1e9 };
  host.history = async (...parameters) => {
    const old = await history(...parameters);
    all.event(edit);
    return old;
  };
  const textOf = (seq) => all.timeline.rows.find((row) => row.seq === seq)?.text;
  await all.jump(50);
  assert.equal(textOf(50), 'new');
});

test('what is deleted while an earlier part is shown does not stay visible', async () => {
  const host = hostOf({ head: () => ({ seq: 500, epoch: 'e1' }) });
  host.answer = (bounds) => part(500, bounds);
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  await all.jump(50);
  const { to } = all.timeline;
  all.event({ type: 'deleted', thread_id: 'a', epoch: 'e1', seq: 501, message_seq: 50, date_ms: 1e9 });
  assert.deepEqual([all.timeline.rows.find((row) => row.seq === 50).deleted, all.timeline.to], [true, to]);
});

test('events that arrive in one turn, as in Node, leave no gap behind', async () => {
  let head = 20;
  const host = hostOf({ head: () => ({ seq: head, epoch: 'e1' }) });
  host.answer = (bounds) => part(head, bounds);
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  head = 21;
  all.event(message(21));
  all.sync('a');
  head = 25;
  all.sync('a');
  await settled();
  assert.equal(all.timeline.to, 25);
});

test('what the server cannot provide at the moment is asked for again, though nothing else happens', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const host = hostOf();
  let isAvailable = false;
  host.answer = () => {
    if (!isAvailable) throw Object.assign(new Error(), { isRetryable: true, code: 'unavailable', retryAfter: 700 });
    return page([18, 19, 20], { hasBefore: true });
  };
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  isAvailable = true;
  context.mock.timers.tick(699);
  await settled();
  assert.equal(all.timeline.isLoaded, false);
  context.mock.timers.tick(1);
  await settled();
  assert.deepEqual(seqsOf(all.timeline), [18, 19, 20]);
});

test('what the user sees is counted at once, and one read mark covers a burst', async () => {
  const thread = { id: 'a', seq: 20, epoch: 'e1', unread: 5, readSeq: 15 };
  const host = hostOf({ head: (id) => (id === 'a' ? thread : undefined) });
  host.answer = () => part(20, {});
  host.noted = (id, seq, unread) => {
    host.marks.push([seq, unread]);
    Object.assign(thread, { readSeq: seq, unread });
  };
  const all = new Conversations(host);
  all.open('a');
  all.seen(17);
  assert.deepEqual(host.marks, [], 'nothing is loaded');
  await all.sync('a');
  all.seen(15);
  all.seen(17);
  all.seen(16);
  all.seen(Infinity);
  assert.deepEqual(host.marks, [[17, 3], [20, 0]]);
  await until(() => host.marks.length === 3);
  assert.deepEqual(host.marks[2], ['a', 20]);
  thread.unread = 1;
  thread.readSeq = 19;
  all.seen(20);
  all.open('b');
  assert.deepEqual(host.marks.slice(3), [[20, 0], ['a', 20]], 'the mark is sent before another thread is open');
});

test('a mark that waits is not sent after the end of the session', async () => {
  const host = hostOf({ head: () => ({ id: 'a', seq: 20, epoch: 'e1', unread: 2, readSeq: 18 }) });
  const all = new Conversations(host);
  all.open('a');
  await all.sync('a');
  all.seen(Infinity);
  host.isOver = true;
  all.flush();
  assert.deepEqual(host.marks, [['a', 20, 0]]);
});

test('a thread whose numbering starts over or that the user has left is forgotten, and loaded again', async () => {
  for (const frame of [{ type: 'resumed', threads: { a: { state: 'rolled_back' } } }, { type: 'thread', op: 'removed', thread: { id: 'a' } }]) {
    const host = hostOf();
    const all = new Conversations(host);
    all.open('a');
    await all.sync('a');
    all.frame({ type: 'resumed', threads: { a: { state: 'live' } } });
    await settled();
    assert.equal(host.requests.length, 1);
    all.frame(frame);
    await settled();
    assert.equal(host.requests.length, 2);
  }
});

test('a closed view loads nothing more', async () => {
  const host = hostOf();
  const all = new Conversations(host);
  all.open('a');
  all.close();
  await all.sync('a');
  assert.deepEqual(host.requests, []);
});
