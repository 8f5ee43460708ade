import assert from 'node:assert/strict';
import { test } from 'node:test';
import { otherUser, Roster, unreadTotal } from '../../Sources/CWebClient/files/client/roster.js';
import { golden } from './support/fixtures.js';
import { message } from './support/values.js';

const listed = (fields) => ({ id: 'a', title: 'A', kind: 'room', epoch: 'e1', seq: 4, unread: 2, read_seq: 2, ...fields });

/** The list of user `me`, who has seen two of four messages in thread `a`, after some frames. */
function rosterAfter(...frames) {
  const roster = new Roster('me');
  roster.apply({ type: 'hello', threads: [listed()] });
  frames.forEach((frame) => roster.apply(frame));
  return roster;
}

const after = (...frames) => rosterAfter(...frames).get('a');
const live = (seq, sender = 'x', more = {}) => message(seq, { sender, ...more });
const read = (seq, user = 'me') => ({ type: 'read', thread_id: 'a', user_id: user, read_seq: seq, date: 0 });
const deleted = (seq, of) => ({ type: 'deleted', thread_id: 'a', epoch: 'e1', seq, message_seq: of });
const resumed = (thread) => ({ type: 'resumed', threads: { a: thread } });

test('unread messages are counted once, own ones never, and read marks of any device count', () => {
  const counts = [
    [live(5)], [live(5), live(5)], [live(5, 'me')], [live(3)], [live(5), read(5)], [live(5), read(5), live(6)],
  ].map((frames) => after(...frames).unread);
  assert.deepEqual(counts, [3, 3, 0, 2, 0, 1]);
});

test('what is deleted or erased already when it arrives is not unread', () => {
  assert.equal(after(live(5, 'x', { deleted: true }), live(6, 'x', { erased: true })).unread, 2);
});

test('a read mark of another device below the end, or a deletion of what was unread, is asked about', () => {
  const questions = [[read(4)], [read(3)], [deleted(5, 4)], [deleted(5, 2)]].map((frames) => rosterAfter(...frames).unsure.size);
  assert.deepEqual(questions, [0, 1, 1, 0]);
});

test('of two devices that read, the one that has read less does not bring messages back', () => {
  const roster = rosterAfter(live(5), read(5), read(3));
  assert.deepEqual([roster.get('a').unread, roster.get('a').readSeq], [0, 5]);
});

test('receipts of others only advance, and those of 100 are kept', () => {
  assert.deepEqual(after(read(4, 'bob'), read(2, 'bob')).readers.bob.seq, 4);
  const readers = Object.keys(after(...Array.from({ length: 150 }, (_, index) => read(4, `u${index}`))).readers);
  assert.deepEqual([readers.length, readers[0], readers.at(-1)], [100, 'u50', 'u149']);
});

test('ranges that were not sent move the end, and are asked about', () => {
  const states = [
    { type: 'behind', threads: { a: { from: 5, to: 9 }, other: { from: 1, to: 2 } } },
    resumed({ state: 'page', epoch: 'e1', from: 5, to: 4100 }),
    resumed({ state: 'live', epoch: 'e1', from: 5, to: 4 }),
    resumed({ state: 'page', epoch: 'e1', from: 5, to: Number.MAX_SAFE_INTEGER }),
  ].map((frame) => rosterAfter(frame)).map((roster) => [roster.get('a').epoch, roster.get('a').seq, roster.unsure.size]);
  assert.deepEqual(states, [['e1', 9, 1], ['e1', 4100, 1], ['e1', 4, 0], ['e1', Number.MAX_SAFE_INTEGER, 1]]);
});

test('a range of the former numbering does not raise the end that a list has told of the new one', () => {
  const roster = rosterAfter(live(5), live(6));
  roster.listed([listed({ epoch: 'e2', seq: 4, unread: 0 })]);
  roster.apply({ type: 'behind', threads: { a: { from: 7, to: 9 } } });
  roster.apply(resumed({ state: 'rolled_back', epoch: 'e2', from: 5, to: 9 }));
  roster.apply(live(5, 'x', { epoch: 'e2' }));
  assert.deepEqual([roster.get('a').epoch, roster.get('a').seq], ['e2', 5]);
});

test('a numbering that has started over goes on where what is valid ends, not where this client was', () => {
  const rolledBack = resumed({ state: 'rolled_back', epoch: 'e2', from: 3, to: 4 });
  const roster = rosterAfter(rolledBack);
  assert.deepEqual([roster.get('a').epoch, roster.get('a').seq, roster.unsure.size], ['e2', 2, 1]);
});

test('new messages at places that were void are unread', () => {
  const roster = rosterAfter(resumed({ state: 'rolled_back', epoch: 'e2', from: 3, to: 4 }));
  roster.listed([listed({ epoch: 'e2', seq: 2, unread: 0 })]);
  roster.apply(live(3, 'x', { epoch: 'e2', text: 'new' }));
  assert.deepEqual([roster.get('a').seq, roster.get('a').unread, roster.get('a').last.text], [3, 1, 'new']);
  roster.apply(read(3));
  assert.deepEqual([roster.get('a').unread, roster.unsure.size], [0, 1], 'the one question is that of the numbering');
});

test('the end that hello has told of the new numbering is kept', () => {
  const hello = { type: 'hello', threads: [listed({ epoch: 'e2', seq: 3, unread: 1 })] };
  const roster = rosterAfter(hello, resumed({ state: 'rolled_back', epoch: 'e2', from: 3, to: 4 }));
  assert.deepEqual([roster.get('a').seq, roster.get('a').unread], [3, 1]);
});

test('nobody has read what takes the place of a void message', () => {
  const roster = rosterAfter(read(4, 'bob'), read(1, 'carl'), read(4), resumed({ state: 'rolled_back', epoch: 'e2', from: 3, to: 4 }));
  const { readSeq, readers } = roster.get('a');
  assert.deepEqual([readSeq, readers.bob.seq, readers.carl.seq], [2, 2, 1]);
});

test('a mark of a former numbering does not keep messages of the new one unread', () => {
  const hello = { type: 'hello', threads: [listed({ epoch: 'e2', seq: 3, unread: 1, read_seq: 9 })] };
  const thread = after(read(9, 'bob'), hello, read(3));
  assert.deepEqual([thread.unread, thread.readSeq, thread.readers.bob.seq], [0, 3, 3]);
});

test('a numbering that starts over without a known epoch, or in an empty thread, begins at its first message', () => {
  const roster = rosterAfter(resumed({ state: 'rolled_back', from: 1, to: 4 }));
  assert.equal(roster.get('a').seq, 0);
  roster.apply(live(1, 'x', { epoch: 'e2' }));
  assert.deepEqual([roster.get('a').epoch, roster.get('a').seq], ['e2', 1]);
});

test('a list of another numbering voids the preview of a message above its end', () => {
  const preview = (seq) => after(live(5), { type: 'hello', threads: [listed({ epoch: 'e2', seq })] }).last?.seq;
  assert.deepEqual([preview(4), preview(5)], [undefined, 5]);
});

test('where nothing is void, the numbering goes on under its new epoch', () => {
  for (const [state, to] of [['live', 4], ['replayed', 4], ['page', 9]]) {
    const roster = rosterAfter(resumed({ state, epoch: 'e2', from: 5, to }));
    assert.deepEqual([roster.get('a').epoch, roster.get('a').seq], ['e2', to], state);
  }
});

test('a thread that is gone or denied is no longer listed', () => {
  const counts = ['gone', 'denied', 'replayed', 'unavailable']
    .map((state) => rosterAfter(resumed({ state, epoch: 'e1', from: 1, to: 4 })).list.length);
  assert.deepEqual(counts, [0, 0, 1, 1]);
});

test('a thread that the server cannot reach keeps its end, and has the present count of unread messages', () => {
  const thread = after({ type: 'hello', threads: [listed({ epoch: '', seq: 0, read_seq: 1, unavailable: true })] });
  assert.deepEqual([thread.epoch, thread.seq, thread.unread], ['e1', 4, 2]);
});

test('a list that is older than what was received changes neither the end nor the count', () => {
  const thread = after(live(5), { type: 'hello', threads: [listed({ seq: 3, unread: 1, title: 'B' })] });
  assert.deepEqual([thread.seq, thread.unread, thread.title], [5, 3, 'B']);
});

test('a hello with all threads removes the others, and one with more to come does not', () => {
  assert.deepEqual(rosterAfter({ type: 'hello', threads: [] }).list, []);
  assert.equal(rosterAfter(golden('hello-more')).list.length, 1);
});

test('the newest message is shown in the list, with its edit, and not after its deletion', () => {
  const edited = { type: 'edited', thread_id: 'a', epoch: 'e1', seq: 6, message_seq: 5, text: 'new' };
  assert.equal(after(live(5, 'x', { text: 'y'.repeat(300) })).last.text.length, 200);
  assert.equal(after(live(5), edited).last.text, 'new');
  assert.deepEqual([after(live(5), deleted(6, 5)).last.text, after(live(5), deleted(6, 5)).last.deleted], ['', true]);
  assert.equal(after(live(5), live(4)).last.seq, 5);
});

test('events of threads that are not listed, and frames of later protocols, change nothing', () => {
  const before = rosterAfter();
  const roster = rosterAfter(
    live(5, 'x', { thread_id: 'other' }), read(4), { type: 'nonsense' }, { type: 'read', thread_id: 'other', user_id: 'me', read_seq: 1 },
    { type: 'behind', threads: { other: { from: 1, to: 2 } } });
  assert.deepEqual(roster.list.map((thread) => thread.id), before.list.map((thread) => thread.id));
  assert.deepEqual(Object.keys(roster.get('a')).sort(), Object.keys(before.get('a')).sort());
});

const END = 1_795_255_200_123;
const muted = (mute, thread = 'a') => ({ type: 'mute', thread_id: thread, mute });
const hello = (fields) => ({ type: 'hello', threads: [listed(fields)] });

test('the mute of hello, of a list, of an added thread and of a frame is that of the thread', () => {
  const mute = { until_ms: END, reason: 'spam' };
  const expected = { untilMs: END, reason: 'spam' };
  const roster = rosterAfter();
  assert.equal(roster.get('a').mute, null);
  roster.listed([listed({ mute })]);
  assert.deepEqual(roster.get('a').mute, expected);
  for (const frame of [hello({ mute }), muted(mute), { type: 'thread', op: 'added', thread: listed({ mute }) }]) {
    assert.deepEqual(after(frame).mute, expected, frame.type);
  }
  assert.deepEqual([after(muted({})).mute, after(muted({ reason: 'x' })).mute, after(muted({ until_ms: 5 })).mute], [{}, { reason: 'x' }, { untilMs: 5 }]);
});

test('a mute is replaced by another one, and ended by a frame or by a hello without it', () => {
  const first = muted({ until_ms: END, reason: 'spam' });
  assert.deepEqual(after(first, muted({ until_ms: END + 1 })).mute, { untilMs: END + 1 });
  assert.deepEqual(after(first, muted(null)).mute, null);
  assert.deepEqual(after(first, hello()).mute, null);
  assert.deepEqual(after(first, live(5), read(5), resumed({ state: 'live', epoch: 'e2', from: 6, to: 5 })).mute, { untilMs: END, reason: 'spam' });
});

test('the mute of a thread whose log cannot be reached is known, too', () => {
  const unavailable = { epoch: '', seq: 0, unavailable: true };
  assert.deepEqual(after(hello({ ...unavailable, mute: {} })).mute, {});
  assert.equal(after(muted({}), hello(unavailable)).mute, null);
});

test('a value that is not a mute mutes nobody, and changes nothing as a frame', () => {
  const values = [true, 'spam', 7, [], { until_ms: 'soon' }, { until_ms: {} }, { reason: 7 }];
  for (const mute of values) {
    assert.equal(after(hello({ mute })).mute, null, JSON.stringify(mute));
    assert.deepEqual(after(muted({ reason: 'spam' }), muted(mute)).mute, { reason: 'spam' }, JSON.stringify(mute));
  }
  assert.deepEqual(after(muted({}), muted(undefined)).mute, {});
  assert.deepEqual(after(muted({ until_ms: null, reason: '', by: 'later versions' })).mute, {});
  assert.deepEqual(rosterAfter(muted({}, 'other')).list.map(({ id }) => id), ['a']);
});

test('a mute ends at its time and not before, and the next end is known', () => {
  const roster = rosterAfter(muted({ until_ms: END }));
  roster.apply({ type: 'thread', op: 'added', thread: listed({ id: 'b', mute: { until_ms: END + 5 } }) });
  roster.apply({ type: 'thread', op: 'added', thread: listed({ id: 'c', mute: {} }) });
  const muteOf = () => ['a', 'b', 'c'].map((id) => roster.get(id).mute);
  assert.deepEqual(roster.endMutes(END - 1), { next: END, hasEnded: false });
  assert.deepEqual(muteOf(), [{ untilMs: END }, { untilMs: END + 5 }, {}]);
  assert.deepEqual(roster.endMutes(END), { next: END + 5, hasEnded: true });
  assert.deepEqual(muteOf(), [null, { untilMs: END + 5 }, {}]);
  assert.deepEqual(roster.endMutes(END + 6), { next: Infinity, hasEnded: true });
  assert.deepEqual(muteOf(), [null, null, {}]);
});

test('a thread that an earlier version has stored is not muted', () => {
  assert.equal(new Roster('me', [{ id: 'a' }]).get('a').mute, null);
});

test('the golden frames of memberships add, change and remove a thread', () => {
  const roster = new Roster('0190c2');
  roster.apply(golden('hello'));
  assert.deepEqual([roster.get('0190a1').seq, roster.get('0190a1').unread], [42, 2]);
  roster.apply(golden('event-message'));
  assert.deepEqual([roster.get('0190a1').seq, roster.get('0190a1').last.text], [43, golden('event-message').text]);
  roster.apply(golden('behind'));
  roster.apply(golden('thread-added'));
  assert.equal(roster.get('0190a1').seq, 118, 'what was announced is not taken back');
  roster.apply(golden('thread-removed'));
  assert.equal(roster.get('0190a1'), undefined);
});

test('the other user of a direct thread is in its id', () => {
  assert.deepEqual(['direct.6.0190c2.me', 'direct.2.me.0190c2', 'room', 'direct.', 'direct.1.'].map((id) => otherUser(id, 'me')),
    ['0190c2', '0190c2', null, null, null]);
  assert.equal(otherUser('direct.3.a.b.c.d', 'c.d'), 'a.b');
});

test('unread messages of the open thread are not in the sum', () => {
  const threads = [{ id: 'a', unread: 2 }, { id: 'b', unread: 3 }, { id: 'c' }];
  assert.deepEqual([unreadTotal(threads), unreadTotal(threads, 'b'), unreadTotal([])], [5, 2, 0]);
});

test('an answer that is older than what was received settles the count, with what came later', () => {
  const behind = { type: 'behind', threads: { a: { from: 5, to: 9 } } };
  const roster = rosterAfter(behind, live(10), live(11, 'x', { deleted: true }), live(12));
  roster.listed([listed({ seq: 8, unread: 6 })]);
  assert.equal(roster.isUnsure('a'), true, 'the answer is older than the gap');
  roster.listed([listed({ seq: 10, unread: 8 })]);
  assert.deepEqual([roster.get('a').unread, roster.get('a').seq, roster.isUnsure('a')], [9, 12, false]);
});

test('the count is certain again after an own message, or a mark at the end', () => {
  const behind = { type: 'behind', threads: { a: { from: 5, to: 9 } } };
  for (const last of [live(10, 'me'), read(9)]) {
    const roster = rosterAfter(behind, last);
    assert.deepEqual([roster.get('a').unread, roster.isUnsure('a')], [0, false]);
    roster.listed([listed({ seq: 4, unread: 2 })]);
    assert.equal(roster.get('a').unread, 0, 'an older list does not count');
  }
});

test('a list that is older than an edit does not bring the former preview back', () => {
  const roster = rosterAfter(live(5), { type: 'edited', thread_id: 'a', epoch: 'e1', seq: 6, message_seq: 5, text: 'new' });
  roster.listed([listed({ seq: 5, last_message: message(5, { text: 'old' }) })]);
  assert.equal(roster.get('a').last.text, 'new');
});

test('messages that are sent again after hello, in a former numbering, are counted once', () => {
  const roster = rosterAfter();
  roster.apply({ type: 'hello', threads: [listed({ epoch: 'e2', seq: 7, unread: 4 })] });
  for (const seq of [5, 6]) roster.apply(live(seq));
  roster.apply(live(7, 'x', { epoch: 'e2' }));
  roster.apply({ type: 'resumed', ref: 1, threads: { a: { state: 'replayed', epoch: 'e2', from: 5, to: 7 } } });
  const { epoch, seq, unread } = roster.get('a');
  assert.deepEqual([epoch, seq, unread], ['e2', 7, 4]);
});

test('a thread that is unavailable keeps its end and its count, which is asked for when it is back', () => {
  const roster = rosterAfter();
  roster.unsure.clear();
  roster.apply({ type: 'hello', threads: [listed({ epoch: '', seq: 0, unread: 9, read_seq: 0, unavailable: true })] });
  const { epoch, seq, unread, readSeq } = roster.get('a');
  assert.deepEqual([epoch, seq, unread, readSeq, roster.unsure.size], ['e1', 4, 2, 2, 0]);
  roster.apply({ type: 'resumed', ref: 1, threads: { a: { state: 'unavailable' } } });
  assert.equal(roster.unsure.size, 0);
  roster.apply({ type: 'resumed', threads: { a: { state: 'live', epoch: 'e1', from: 7, to: 6 } } });
  assert.deepEqual([roster.get('a').seq, [...roster.unsure]], [6, ['a']]);
});

test('a thread that is shorter when it is back has lost what was above its end', () => {
  const { epoch, seq } = after({ type: 'resumed', threads: { a: { state: 'page', epoch: 'e2', from: 1, to: 3 } } });
  assert.deepEqual([epoch, seq], ['e2', 3]);
});

test('the place from which a thread exists ends with the membership that it belongs to', () => {
  const roster = new Roster('me');
  roster.apply({ type: 'hello', threads: [{ ...listed(), visible_from: 3 }] });
  assert.equal(roster.get(listed().id).visible_from, 3);
  roster.listed([{ ...listed(), visible_from: 4 }]);
  assert.equal(roster.get(listed().id).visible_from, 4);
  roster.apply({ type: 'hello', threads: [listed()] });
  assert.equal(roster.get(listed().id).visible_from, undefined);
});
