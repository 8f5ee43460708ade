// The list of the user's threads, kept up to date by the frames of the connection.
import { muteOf } from './mutes.js';
import { newer, roomOf } from './room.js';

/** The maximum number of read receipts for each thread. */
const MAX_READERS = 100;

/** Read receipts, limited to `end`. */
const upTo = (end, readers = {}) =>
  Object.fromEntries(Object.entries(readers).map(([user, { seq, date }]) => [user, { seq: Math.min(seq, end), date }]));

export class Roster {
  #me;
  #threads = new Map();
  /** The IDs of the users that the user blocks. */
  blocks = new Set();
  /** Threads whose unread count cannot be derived from events and must be requested from the server. */
  unsure = new Set();
  /**
   * The doubts of these threads: `{end, later}`. An answer below `end` does not settle a doubt, and the messages in
   * `later` are counted in addition to an older answer.
   */
  #doubts = new Map();
  /**
   * The ends of these threads, `{epoch, seq}`, by the lists and events of the present numbering only. A list may know a new
   * numbering before the connection does, which still reports ranges of the former one.
   */
  #ends = new Map();

  constructor(me, threads = [], blocks = []) {
    this.#me = me;
    this.blocks = new Set(blocks);
    // An earlier version has stored no mutes.
    for (const thread of threads) this.#threads.set(thread.id, { mute: null, ...thread });
  }

  get(id) {
    return this.#threads.get(id);
  }

  /** All threads, newest activity first. */
  get list() {
    return [...this.#threads.values()].sort((a, b) => (b.activity ?? 0) - (a.activity ?? 0) || (a.title < b.title ? -1 : 1));
  }

  /** Whether the unread count of a thread is still unknown after an answer of the server. */
  isUnsure(id) {
    return this.#doubts.has(id);
  }

  #doubt(id, end = this.#threads.get(id).seq) {
    this.#doubts.set(id, { end, later: [] });
    this.unsure.add(id);
  }

  #remove(id) {
    this.#threads.delete(id);
    this.#doubts.delete(id);
    this.#ends.delete(id);
  }

  /** Notes that an epoch has an event at `seq`. */
  #noteEnd(id, epoch, seq) {
    const end = this.#ends.get(id);
    this.#ends.set(id, { epoch, seq: end?.epoch === epoch ? Math.max(end.seq, seq) : seq });
  }

  #set(id, change) {
    this.#threads.set(id, { ...this.#threads.get(id), ...change });
  }

  apply(frame) {
    const { type } = frame;
    if (type === 'hello') this.#welcome(frame);
    else if (type === 'thread') this.#member(frame);
    else if (type === 'mute') this.#mute(frame);
    else if (type === 'room') this.#room(frame);
    else if (type === 'blocks') this.blocks = new Set(frame.blocks);
    else if (type === 'read') this.#read(frame);
    else if (type === 'resumed') this.#resumed(frame);
    else if (type === 'behind') this.#behind(frame);
    else if (frame.seq !== undefined && this.#threads.has(frame.thread_id)) this.#event(frame);
  }

  #welcome(hello) {
    const listed = new Set(hello.threads.map((each) => each.id));
    if (!hello.more) for (const id of this.#threads.keys()) if (!listed.has(id)) this.#remove(id);
    for (const thread of hello.threads) this.#put(thread);
    this.blocks = new Set(hello.blocks);
  }

  #put({ read_seq: readSeq, last_message: last, unavailable, mute: told, topic, picture, archived, slow_mode_seconds, rights, changes, blocked, ...thread }) {
    const known = this.#threads.get(thread.id);
    const mute = muteOf(told) ?? null;
    const room = newer(known?.room, roomOf({ topic, picture, archived, slow_mode_seconds, rights, changes, blocked }));
    const state = { mute, ...((room || known?.room) && { room }) };
    if (unavailable && known) {
      // The server does not know the end of the thread, up to which it counts. `resumed` reports the return.
      this.#set(thread.id, { isUnavailable: true, ...state });
      return;
    }
    const isNew = !known || known.epoch !== thread.epoch;
    // The database may be behind the received events.
    const isOld = !isNew && thread.seq < known.seq;
    // New messages will take the places above the end.
    const isLastVoid = isNew && known?.last?.seq > thread.seq;
    this.#set(thread.id, {
      ...(isLastVoid && { last: undefined }),
      activity: known?.activity ?? 0, readers: isNew ? upTo(thread.seq, known?.readers) : known.readers ?? {},
      // Another membership may see everything.
      ...(known?.visible_from && { visible_from: undefined }), ...thread, ...state, isUnavailable: undefined,
      ...(isOld ? { seq: known.seq, ...this.#olderCount(known, thread, readSeq) } : { readSeq }),
    });
    if (!isOld) this.#doubts.delete(thread.id);
    this.#noteEnd(thread.id, thread.epoch, thread.seq);
    // An edit or a deletion may have arrived after the server read the message.
    if (last && !(isOld && known.last?.seq >= last.seq)) this.#preview(thread.id, last);
  }

  /** The count and the read mark after an answer that is older than the received events. */
  #olderCount(known, { id, seq, unread }, readSeq) {
    const doubt = this.#doubts.get(id);
    if (!doubt || seq < doubt.end) return { unread: known.unread, readSeq: known.readSeq };
    this.#doubts.delete(id);
    return { unread: unread + doubt.later.filter((each) => each > seq).length, readSeq };
  }

  /** Adopts the answer of `GET /v1/threads`: previews, and the threads that `hello` omits. */
  listed(threads) {
    for (const thread of threads) this.#put(thread);
  }

  /** Adopts the unread count that the leading tab has settled. */
  counted({ id, unread, readSeq }) {
    if (this.#threads.has(id)) this.#set(id, { unread, readSeq });
  }

  #preview(id, message) {
    const { last } = this.#threads.get(id);
    if (last && last.seq > message.seq) return;
    const { seq, text, sender_id, sender_name, sender_display_name, date_ms: at, deleted, erased, parts } = message;
    this.#set(id, {
      last: { seq, text: text.slice(0, 200), sender_id, sender_name, ...(sender_display_name && { sender_display_name }), at, deleted: deleted || erased, part: parts?.[0] && { type: parts[0].type, name: parts[0].name } },
      activity: Math.max(at ?? 0, this.#threads.get(id).activity ?? 0),
    });
  }

  #member({ op, thread }) {
    if (op === 'added') {
      this.#put(thread);
      this.#set(thread.id, { activity: Math.max(this.#threads.get(thread.id).activity, Date.now()) });
    } else {
      this.#remove(thread.id);
    }
  }

  #mute({ thread_id: id, mute: told }) {
    const mute = muteOf(told);
    if (this.#threads.has(id) && mute !== undefined) this.#set(id, { mute });
  }

  #room({ thread_id: id, room }) {
    if (this.#threads.has(id) && typeof room === 'object') this.#set(id, { room: roomOf(room ?? {}) });
  }

  /**
   * Ends the mutes that are over at `now`. @returns `{next, hasEnded}`: the time of the next end, `Infinity` if there is
   * none, and whether any has ended
   */
  endMutes(now) {
    let [next, hasEnded] = [Infinity, false];
    for (const [id, { mute }] of this.#threads) {
      if (mute?.untilMs === undefined) continue;
      if (mute.untilMs > now) {
        next = Math.min(next, mute.untilMs);
      } else {
        this.#set(id, { mute: null });
        hasEnded = true;
      }
    }
    return { next, hasEnded };
  }

  #event(event) {
    const id = event.thread_id;
    const thread = this.#threads.get(id);
    // Where a numbering starts over, `hello` or `resumed` lowers the end first. An event of a former numbering that is
    // sent again after `hello` is in its count already.
    const isNew = event.seq > thread.seq;
    const isMine = event.sender_id === this.#me;
    if (event.epoch === this.#ends.get(id)?.epoch) this.#noteEnd(id, event.epoch, event.seq);
    if (isNew) this.#set(id, { epoch: event.epoch, seq: event.seq });
    if (event.type === 'message') {
      this.#preview(id, event);
      if (isMine && thread.room?.slowSeconds) this.#set(id, { sentAt: Math.max(event.date_ms ?? 0, thread.sentAt ?? 0) });
      if (isNew && isMine) this.#readAll(id, event.seq);
      else if (isNew && !event.deleted && !event.erased) this.#unread(id, event.seq);
    } else if (event.type === 'edited' && thread.last?.seq === event.message_seq && event.text) {
      this.#set(id, { last: { ...thread.last, text: event.text.slice(0, 200) } });
    } else if (event.type === 'deleted') {
      if (thread.last?.seq === event.message_seq) this.#set(id, { last: { ...thread.last, text: '', deleted: true } });
      if (isNew && event.message_seq > (thread.readSeq ?? 0)) this.#doubt(id);
    } else if (event.type === 'renamed') {
      this.#set(id, { title: event.title });
    } else if (event.type === 'visibility') {
      this.#set(id, { visibility: event.visibility });
    } else if (event.type === 'role' && event.user_id === this.#me) {
      this.#set(id, { role: event.role });
    }
  }

  #unread(id, seq) {
    this.#set(id, { unread: this.#threads.get(id).unread + 1 });
    this.#doubts.get(id)?.later.push(seq);
  }

  #readAll(id, seq) {
    this.#doubts.delete(id);
    this.#set(id, { unread: 0, readSeq: seq });
  }

  #read({ thread_id: id, user_id: user, read_seq: seq, date }) {
    const thread = this.#threads.get(id);
    if (!thread) return;
    // Two marks may come in another order than they were made; one of a former numbering may lie above the end.
    const known = (user === this.#me ? thread.readSeq : thread.readers?.[user]?.seq) ?? 0;
    if (seq < known && seq < thread.seq) return;
    if (user === this.#me) {
      if (seq >= thread.seq) {
        this.#readAll(id, seq);
      } else {
        this.#set(id, { readSeq: seq });
        this.#doubt(id);
      }
      return;
    }
    const readers = { ...thread.readers, [user]: { seq, date } };
    const names = Object.keys(readers);
    if (names.length > MAX_READERS) delete readers[names[0]];
    this.#set(id, { readers });
  }

  #resumed({ threads }) {
    for (const [id, { state, epoch, from, to }] of Object.entries(threads)) {
      if (state === 'gone' || state === 'denied') this.#remove(id);
      if (!this.#threads.has(id)) continue;
      // Without a position of this client, as after `unavailable`, the server does not know what is void.
      const { epoch: known, seq } = this.#threads.get(id);
      const isShorter = epoch && epoch !== known && to < seq;
      if (state === 'rolled_back') this.#rolledBack(id, epoch, from);
      else if (isShorter) this.#rolledBack(id, epoch, to + 1);
      else if (epoch && state !== 'unavailable') this.#set(id, { epoch });
      if (state === 'unavailable') continue;
      // The position that a `live` confirms may be newer than the stored list.
      if (state !== 'rolled_back') this.#moved(id, to);
      if (this.#threads.get(id).isUnavailable) this.#returned(id);
    }
  }

  /**
   * The numbering has started over, and new events may have the places from `from` on. The `to` of the frame is the last
   * place that this client has seen, which may lie above the end: what comes next is above `from` - 1 at any rate.
   */
  #rolledBack(id, epoch, from) {
    const thread = this.#threads.get(id);
    const valid = from - 1;
    // `hello` or a list may have told the end of the new numbering already.
    const told = this.#ends.get(id) ?? thread;
    this.#set(id, {
      epoch, seq: epoch && told.epoch === epoch ? told.seq : valid,
      last: undefined, readSeq: Math.min(thread.readSeq ?? 0, valid), readers: upTo(valid, thread.readers),
    });
    this.#doubt(id, 0);
  }

  #returned(id) {
    this.#set(id, { isUnavailable: undefined });
    this.#doubt(id);
  }

  #behind({ threads }) {
    for (const [id, { to }] of Object.entries(threads)) this.#moved(id, to);
  }

  /** Notes that events up to `to` exist that were not sent. */
  #moved(id, to) {
    const thread = this.#threads.get(id);
    if (!thread || to <= thread.seq) return;
    this.#set(id, { seq: to });
    this.#doubt(id);
  }
}

/** The other user of a direct thread, whose ID is `direct.<length of the first id>.<first>.<second>`. */
export function otherUser(threadID, me) {
  const [, length, rest] = threadID.match(/^direct\.(\d+)\.(.*)$/) ?? [];
  if (!rest) return null;
  const [first, second] = [rest.slice(0, Number(length)), rest.slice(Number(length) + 1)];
  return first === me ? second : first;
}

/** The number of unread messages in all threads except `except`. */
export const unreadTotal = (threads, except) =>
  threads.reduce((sum, thread) => sum + (thread.id === except ? 0 : (thread.unread ?? 0)), 0);
