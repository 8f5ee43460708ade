import assert from 'node:assert/strict';
import { test } from 'node:test';
import { likelyHeight, rowsOf, withPending } from '../../Sources/CWebClient/files/app/rows.js';
import { at, change, message } from './support/values.js';

const options = { changes: new Map(), me: 'y', dividerSeq: null, now: 0 };
const shape = (rows) => rows.map((row) => row.kind[0] + (row.isFirst ? '*' : '') + (row.isOwn ? '!' : '')).join(' ');

test('days are divided, senders are grouped, unread ones are marked', () => {
  const events = [at(1, 'x', 0), at(2, 'x', 60), at(3, 'x', 600), at(4, 'y', 610), at(5, 'y', 86_400 + 620)];
  const rows = withPending(rowsOf(events, { ...options, dividerSeq: 2 }), [{ id: 'p', at: 0 }], 'y');
  assert.equal(shape(rows), 'd m* m n m* m*! d m*! p!');
});

test('messages of one sender are grouped for five minutes', () => {
  assert.equal(shape(rowsOf([at(1, 'x', 0), at(2, 'x', 300), at(3, 'x', 601)], options)), 'd m* m m*');
});

test('a notice divides a group, and own messages are never new', () => {
  const joined = { type: 'joined', seq: 2, date_ms: 1.7e12 };
  assert.equal(shape(rowsOf([at(1, 'y', 0), joined, at(3, 'y', 1)], { ...options, dividerSeq: 0 })), 'd m*! n m*!');
});

test('every row has a key of its own', () => {
  const rows = withPending(rowsOf([at(1, 'x', 0), at(2, 'x', 90_000), at(3, 'y', 180_000)], { ...options, dividerSeq: 1 }),
    [{ id: 'p' }, { id: 'q' }], 'y');
  assert.equal(new Set(rows.map((row) => row.key)).size, rows.length);
});

test('a message shows its waiting changes', () => {
  const changes = new Map([['m1', [{ op: 'edit', text: 'new', at: 5 }]]]);
  assert.equal(rowsOf([message(1), message(2)], { ...options, changes })[1].message.text, 'new');
});

test('without waiting messages the rows are the same', () => {
  const rows = rowsOf([], options);
  assert.deepEqual(rows, []);
  assert.equal(withPending(rows, [], 'y'), rows);
  assert.equal(shape(withPending(rows, [{ id: 'p' }, { id: 'q' }], 'y')), 'p*! p!');
});

test('the likely height of a row is a positive number, whatever it has', () => {
  const parts = [{ type: 'image/png', width: 2, height: 1e9 }, { type: 'video/mp4' }, { type: 'audio/mpeg' }, { type: 'x/y' }, {}];
  const rows = [
    ...rowsOf([at(1, 'x', 0), { ...change('joined'), seq: 2 }, at(3, 'x', 1)], { ...options, dividerSeq: 0 }),
    { kind: 'message', message: message(4, { text: 'x'.repeat(4096), parts, reply_to: 1, reactions: [{}] }) },
    ...withPending([], [{ id: 'p' }, { id: 'q', text: 'hi', files: parts }], 'y'),
  ];
  for (const width of [0, 1, 320, 1e6]) {
    for (const row of rows) {
      const height = likelyHeight(row, width);
      assert.ok(Number.isFinite(height) && height >= 28, `${row.kind} at ${width}: ${height}`);
    }
  }
});
