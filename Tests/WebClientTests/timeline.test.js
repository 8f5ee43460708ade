import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as timelines from '../../Sources/CWebClient/files/client/timeline.js';
import { golden } from './support/fixtures.js';
import { change, message, page, seqsOf } from './support/values.js';

const loaded = timelines.fromPage(page([10, 11], { hasBefore: true }));
const range = ({ from, to }) => [from, to];

test('a page covers its part of the log, although numbers may be missing in it', () => {
  const cases = [
    [page([11, 12], { hasBefore: true }), {}, [11, 20]], [page([2, 3]), {}, [1, 20]], [page([]), {}, [1, 20]],
    [page([5, 6], { hasBefore: true }), { before: 8 }, [5, 7]], [page([5, 6], { hasAfter: true }), { after: 3 }, [4, 6]],
    [page([5]), { after: 4 }, [5, 20]], [page([19, 20]), { after: 18, before: 210 }, [19, 20]],
  ];
  for (const [each, bounds, covered] of cases) assert.deepEqual(range(timelines.pageRange({ ...each, head_seq: 20 }, bounds)), covered);
});

test('a page of a range that is empty, at its ends or beyond the end of the thread claims nothing that comes later', () => {
  const empty = (bounds, more) => range(timelines.pageRange({ ...page([], more), head_seq: 20 }, bounds));
  assert.deepEqual(empty({ after: 20 }), [21, 20]);
  assert.deepEqual(empty({ after: 25 }), [26, 25]);
  assert.deepEqual(empty({ after: 18, before: 19 }), [19, 18]);
  assert.deepEqual(empty({ before: 1 }), [1, 0]);
  assert.deepEqual(empty({ after: Number.MAX_SAFE_INTEGER - 1 }), [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1]);
});

test('an older page is taken only where it fits, and a live event only if it is the next one', () => {
  const older = (before, more) => seqsOf(timelines.withOlder(loaded, page([8, 9], more), { before }));
  assert.deepEqual([older(10), older(11), older(10, { epoch: 'e2' })], [[8, 9, 10, 11], [10, 11], [10, 11]]);
  const live = (event) => seqsOf(timelines.withEvent(loaded, event));
  assert.deepEqual([live(message(12)), live(message(13)), live(message(11)), live(message(12, { epoch: 'other' }))],
    [[10, 11, 12], [10, 11], [10, 11], [10, 11]]);
});

test('a newer page is taken only where it fits', () => {
  const newer = (after, more) => seqsOf(timelines.withNewer(loaded, page([12, 13], more), { after }));
  assert.deepEqual([newer(11), newer(10), newer(12), newer(11, { epoch: 'e2' })], [[10, 11, 12, 13], [10, 11], [10, 11], [10, 11]]);
});

test('an empty timeline takes nothing before its first page', () => {
  assert.equal(timelines.withEvent(timelines.EMPTY, message(1)), timelines.EMPTY);
  assert.equal(timelines.withOlder(timelines.EMPTY, page([1]), { before: 2 }), timelines.EMPTY);
  assert.equal(timelines.withNewer(timelines.EMPTY, page([1]), { after: 0 }), timelines.EMPTY);
  assert.equal(timelines.isAtStart(timelines.EMPTY), false);
});

test('the golden page is a timeline that goes on with the golden message', () => {
  const first = timelines.fromPage(golden('page'));
  assert.deepEqual([range(first), seqsOf(first), timelines.isAtStart(first)], [[41, 42], [41, 42], false]);
  assert.deepEqual(seqsOf(timelines.withEvent(first, golden('event-message'))), [41, 42, 43]);
  assert.equal(timelines.isAtStart(timelines.fromPage(golden('page-empty'))), true);
});

test('edits, deletions and reactions change their message; a deleted one stays deleted', () => {
  const on = change('reaction', { user_id: 'x', emoji: '+', on: true });
  const cases = [
    [[change('edited', { text: 'new' })], ['new', false, null]], [[change('edited', { text: '' })], ['hi', false, null]],
    [[change('deleted')], ['', true, null]], [[change('deleted'), change('edited', { text: 'new' })], ['', true, null]],
    [[on, on], ['hi', false, [1]]], [[on, { ...on, on: false }], ['hi', false, []]],
  ];
  for (const [changes, shown] of cases) {
    const { rows } = changes.reduce((all, each, index) => timelines.withEvent(all, { ...each, seq: 12 + index }), loaded);
    const { text, deleted, reactions } = rows[1];
    assert.deepEqual([text, deleted === true, reactions?.map((each) => each.count) ?? null], shown);
  }
});

test('a change of a message that is not loaded is applied to it when an older page arrives', () => {
  const changed = timelines.withEvent(loaded, change('edited', { seq: 12, message_seq: 9, text: 'new' }));
  const { rows } = timelines.withOlder(changed, page([8, 9], { hasBefore: true }), { before: 10 });
  assert.deepEqual(rows.map((row) => row.text), ['hi', 'new', 'hi', 'hi']);
});

test('of the changes before the first row the newest 200 are remembered', () => {
  let all = loaded;
  for (let seq = 12; seq < 312; seq += 1) all = timelines.withEvent(all, change('edited', { seq, message_seq: 9, text: `${seq}` }));
  assert.deepEqual([all.earlier.length, all.earlier[0].seq, all.to], [200, 112, 311]);
});

test('a change of a number that is missing changes no other row', () => {
  const sparse = timelines.fromPage(page([10, 12], { hasBefore: true }));
  assert.deepEqual(timelines.withEvent(sparse, change('deleted', { seq: 13, message_seq: 11 })).rows, sparse.rows);
});

test('a send that got two places in the log is one row, and two sends of the same text are two', () => {
  const sent = (seq, client, text = 'hi') => message(seq, { client_id: client, text });
  const all = (events) => seqsOf(timelines.fromPage({ ...page([]), events, head_seq: 3 }));
  assert.deepEqual(all([sent(1, 'c'), sent(2, 'c')]), [1]);
  assert.deepEqual(all([sent(1, 'c'), sent(2, 'd'), sent(3, undefined)]), [1, 2, 3]);
  assert.deepEqual(all([sent(1, 'c'), sent(2, 'c', 'other')]), [1, 2]);
  const later = timelines.withEvent(timelines.fromPage({ ...page([]), events: [sent(1, 'c')], head_seq: 1 }), sent(2, 'c'));
  assert.deepEqual([seqsOf(later), later.to], [[1], 2]);
});

test('of 12,000 rows in memory the far end is dropped, and can be loaded again', () => {
  const count = 12_000;
  const seqs = Array.from({ length: count }, (_, index) => index + 201);
  const full = timelines.fromPage(page(seqs, { hasBefore: true }));
  const newer = timelines.withEvent(full, message(count + 201));
  assert.deepEqual([newer.rows.length, ...range(newer)], [count, 202, count + 201]);
  const older = timelines.withOlder(full, page([199, 200], { hasBefore: true }), { before: 201 });
  assert.deepEqual([older.rows.length, ...range(older)], [count, 199, count + 198]);
});

test('trimmed timelines begin with a row', () => {
  assert.deepEqual(range(timelines.trimmed(loaded, 1)), [11, 11]);
  assert.equal(timelines.trimmed(loaded, 2), loaded);
});

test('rows are found by their number, and the next one where it is missing', () => {
  const sparse = timelines.fromPage(page([2, 5, 9]));
  assert.deepEqual([0, 2, 3, 5, 9, 10].map((seq) => timelines.indexOf(sparse, seq)), [0, 0, 1, 1, 2, 3]);
  assert.equal(timelines.indexOf(timelines.EMPTY, 1), 0);
});
