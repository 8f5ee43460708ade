import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folded, isChange, isRow, upToDate, withReaction } from '../../Sources/CWebClient/files/client/fold.js';
import { frames } from './support/fixtures.js';
import { message } from './support/values.js';

const reaction = (user, on, emoji = '+') => ({ type: 'reaction', user_id: user, emoji, on });

test('every golden event is a row, a change of one, or only counts', () => {
  const kinds = Object.values(frames).filter(({ name }) => name.startsWith('event-'))
    .map(({ frame }) => [frame.type, isRow(frame), isChange(frame)]);
  assert.ok(kinds.length > 8);
  for (const [type, row, change] of kinds) assert.notEqual(row, change, type);
  assert.deepEqual([isRow({ type: 'poll' }), isChange({ type: 'poll' })], [false, false]);
});

test('a reaction counts users, once each, and is gone with the last of them', () => {
  const all = [reaction('x', true), reaction('x', true), reaction('y', true), reaction('x', false), reaction('x', false)].reduce(withReaction, message(1));
  assert.deepEqual(all.reactions, [{ emoji: '+', users: ['y'], count: 1 }]);
  assert.deepEqual(withReaction(all, reaction('y', false)).reactions, []);
});

test('emojis keep their order, and a count above the names that are known goes on', () => {
  const many = { ...message(1), reactions: [{ emoji: '+', users: ['x'], count: 500 }, { emoji: '-', users: [], count: 2 }] };
  assert.deepEqual(withReaction(many, reaction('y', true)).reactions.map(({ emoji, count }) => [emoji, count]), [['+', 501], ['-', 2]]);
  assert.deepEqual(withReaction(many, reaction('x', false)).reactions.map(({ count }) => count), [499, 2]);
});

test('what was erased or deleted stays so, whatever comes', () => {
  for (const gone of [{ ...message(1), deleted: true }, { ...message(1), erased: true }]) {
    for (const event of [reaction('x', true), { type: 'edited', text: 'new' }, { type: 'deleted' }]) assert.equal(folded(gone, event), gone);
  }
});

test('a deletion removes text, parts and reactions, and keeps the rest', () => {
  const full = { ...message(1), parts: [{}], reactions: [{}] };
  const { text, parts, reactions, deleted, seq, sender_id: sender } = folded(full, { type: 'deleted' });
  assert.deepEqual([text, parts, reactions, deleted, seq, sender], ['', undefined, undefined, true, 1, 'x']);
});

test('an edit that is older than the text of a message changes nothing', () => {
  const edited = { ...message(1), text: 'second', edited_ms: 9_000 };
  assert.equal(folded(edited, { type: 'edited', text: 'first', date_ms: 8_000 }).text, 'second');
  assert.equal(folded(edited, { type: 'edited', text: 'third', date_ms: 9_001 }).text, 'third');
});

test('a page that was read before a change has it, and one that was read later keeps its own state', () => {
  const change = (fields) => ({ epoch: 'e1', message_seq: 1, date_ms: 9_000, ...fields });
  const page = (text, edited, head = 3) => ({ epoch: 'e1', head_seq: head, events: [{ ...message(1), text, edited_ms: edited }, message(2)] });
  const textOf = (page, ...changes) => upToDate(page, changes).events[0].text;
  const edit = change({ type: 'edited', seq: 4, text: 'new' });
  assert.equal(textOf(page('old'), edit), 'new');
  assert.equal(textOf(page('newer', 9_500, 5), edit), 'newer');
  assert.equal(textOf(page('old'), { ...edit, epoch: 'e2' }), 'old');
  assert.equal(textOf(page('old', undefined, 9), change({ type: 'deleted', seq: 4 })), '');
  const reacted = (head) => upToDate(page('old', undefined, head), [change({ ...reaction('x', true), seq: 4 })]).events[0].reactions;
  assert.deepEqual([reacted(3), reacted(4)], [[{ emoji: '+', users: ['x'], count: 1 }], undefined]);
});
