import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hindrance, newer, roomOf, slowWait } from '../../Sources/CWebClient/files/client/room.js';
import { Roster } from '../../Sources/CWebClient/files/client/roster.js';
import { roomPicture } from '../../Sources/CWebClient/files/app/profiles.js';
import { english } from '../../Sources/CWebClient/files/shared/english.js';
import { german } from '../../Sources/CWebClient/files/shared/german.js';
import { golden } from './support/fixtures.js';
import { message } from './support/values.js';

const STANDARD = { write: 'everyone', attach: 'everyone', mention: 'everyone', add: 'moderators' };
const listed = (fields) => ({ id: 'a', title: 'A', kind: 'room', role: 'member', epoch: 'e1', seq: 4, unread: 2, read_seq: 2, ...fields });
const state = (fields) => ({ topic: '', isArchived: false, slowSeconds: 0, rights: STANDARD, changes: 0, isBlocked: false, ...fields });

test('the frames of the server are read; a missing field has its default', () => {
  assert.deepEqual(roomOf(golden('room').room), state({ topic: 'Planting', slowSeconds: 30, changes: 4, rights: { ...STANDARD, attach: 'moderators', mention: 'moderators' } }));
  assert.deepEqual(roomOf(golden('room-archived').room), state({ isArchived: true, changes: 5 }));
  assert.deepEqual(roomOf(golden('room-blocked').room), state({ isBlocked: true }));
  assert.equal(roomOf({}), undefined);
  assert.deepEqual(roomOf({ topic: 7, slow_mode_seconds: 'x', rights: null, changes: 1 }), state({ changes: 1 }));
});

test('the picture of a room is there while the room has one', () => {
  const roster = new Roster('me');
  roster.apply({ type: 'hello', threads: [listed({ picture: 'f1', changes: 1 })] });
  assert.deepEqual(roster.get('a').room, state({ picture: 'f1', changes: 1 }));
  assert.equal('picture' in roster.get('a'), false);
  assert.equal(roomPicture(roster.get('a').room), '/v1/attachments/f1');
  roster.apply({ type: 'room', thread_id: 'a', room: { changes: 2 } });
  assert.equal(roomPicture(roster.get('a').room), null);
  for (const room of [undefined, {}, { picture: '../me' }, { picture: 'a/b' }]) assert.equal(roomPicture(room), null);
});

test('hello, a frame and an answer change a thread; an answer that is older than a frame does not', () => {
  const roster = new Roster('me');
  roster.apply({ type: 'hello', threads: [listed({ topic: 'One', changes: 1 })] });
  assert.equal(roster.get('a').room.topic, 'One');
  assert.equal('topic' in roster.get('a'), false);
  roster.apply({ type: 'room', thread_id: 'a', room: { topic: 'Two', changes: 2 } });
  roster.listed([listed({ topic: 'One', changes: 1 })]);
  assert.equal(roster.get('a').room.topic, 'Two');
  roster.listed([listed({ archived: true, changes: 3 })]);
  assert.deepEqual(roster.get('a').room, state({ isArchived: true, changes: 3 }));
  roster.apply({ type: 'room', thread_id: 'other', room: {} });
  assert.equal(roster.get('other'), undefined);
  assert.equal(newer(undefined, undefined), undefined);
});

test('who may write is told with the reason', () => {
  const reasons = [
    {}, { role: 'member' }, { role: 'owner', room: state({ isArchived: true }) }, { role: 'member', room: state({ isBlocked: true }) },
    ...['member', 'moderator', 'owner'].map((role) => ({ role, room: state({ rights: { ...STANDARD, write: 'moderators' } }) })),
  ].map(hindrance);
  assert.deepEqual(reasons, [null, null, 'archived', 'blocked', 'moderators', null, null]);
  for (const { hindrances } of [english, german]) assert.deepEqual(Object.keys(hindrances).sort(), ['archived', 'blocked', 'moderators']);
});

test('slow mode counts down from the last message of the user, for members only', () => {
  const room = state({ slowSeconds: 30 });
  const waits = [
    [{ role: 'member', room, sentAt: 1000 }, 11_000], [{ role: 'member', room, sentAt: 1000 }, 31_000], [{ role: 'owner', room, sentAt: 1000 }, 2000],
    [{ role: 'member', room }, 2000], [{ role: 'member', sentAt: 1000 }, 2000], [{ role: 'member', room, sentAt: 90_000 }, 0],
  ].map(([thread, now]) => slowWait(thread, now));
  assert.deepEqual(waits, [20_000, 0, 0, 0, 0, 30_000]);
  const roster = new Roster('me');
  roster.apply({ type: 'hello', threads: [listed({ slow_mode_seconds: 30, changes: 1 })] });
  roster.apply(message(5, { sender: 'x' }));
  assert.equal(roster.get('a').sentAt, undefined);
  const own = message(6, { sender: 'me' });
  roster.apply({ ...own, date_ms: 5000 });
  assert.equal(slowWait(roster.get('a'), 6000), 29_000);
});

test('the blocked users come with hello, with the frame and with the state of another tab', () => {
  const roster = new Roster('me', [], ['x']);
  assert.deepEqual([...roster.blocks], ['x']);
  roster.apply({ type: 'hello', threads: [], blocks: ['y'] });
  assert.deepEqual([...roster.blocks], ['y']);
  roster.apply(golden('blocks'));
  assert.deepEqual([...roster.blocks], ['0190d4']);
  roster.apply({ type: 'hello', threads: [] });
  assert.deepEqual([...roster.blocks], []);
});
