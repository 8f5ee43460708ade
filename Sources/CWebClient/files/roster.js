// The list of the user's threads, kept up to date by the frames of the connection.

/** Read receipts kept for each thread. */
const MOST_READERS = 100;

export class Roster {
  #me;
  #threads = new Map();
  /** Threads whose unread count cannot be told from events; ask the server. */
  unsure = new Set();

  constructor(me, threads = []) {
    this.#me = me;
    for (const thread of threads) this.#threads.set(thread.id, thread);
  }

  get(id) {
    return this.#threads.get(id);
  }

  /** All threads, newest activity first. */
  get list() {
    return [...this.#threads.values()].sort((a, b) => (b.activity ?? 0) - (a.activity ?? 0) || (a.title < b.title ? -1 : 1));
  }

  #set(id, change) {
    this.#threads.set(id, { ...this.#threads.get(id), ...change });
  }

  apply(frame) {
    const { type } = frame;
    if (type === 'hello') this.#welcome(frame);
    else if (type === 'thread') this.#member(frame);
    else if (type === 'read') this.#read(frame);
    else if (type === 'resumed') this.#resumed(frame);
    else if (type === 'behind') this.#behind(frame);
    else if (frame.seq !== undefined && this.#threads.has(frame.thread_id)) this.#event(frame);
  }

  #welcome(hello) {
    const listed = new Set(hello.threads.map((each) => each.id));
    if (!hello.more) for (const id of this.#threads.keys()) if (!listed.has(id)) this.#threads.delete(id);
    for (const thread of hello.threads) this.#put(thread);
  }

  #put({ read_seq: readSeq, last_message: last, unavailable, ...thread }) {
    const known = this.#threads.get(thread.id);
    // The server does not know the end of the thread; `resumed` tells it later.
    if (unavailable && known) Object.assign(thread, { epoch: known.epoch, seq: known.seq });
    const isNew = !known || known.epoch !== thread.epoch;
    // The database may be behind what was received already.
    const isOld = !isNew && thread.seq < known.seq;
    this.#set(thread.id, {
      activity: known?.activity ?? 0, readers: known?.readers ?? {}, ...thread,
      ...(isOld ? { seq: known.seq, unread: known.unread, readSeq: known.readSeq } : { readSeq }),
    });
    if (last) this.#preview(thread.id, last);
  }

  /** The answer of `GET /v1/threads`: previews, and what did not fit into `hello`. */
  listed(threads) {
    for (const thread of threads) this.#put(thread);
  }

  #preview(id, message) {
    const { last } = this.#threads.get(id);
    if (last && last.seq > message.seq) return;
    const { seq, text, sender_id, sender_name, date_ms: at, deleted, erased, parts } = message;
    this.#set(id, {
      last: { seq, text: text.slice(0, 200), sender_id, sender_name, at, deleted: deleted || erased, part: parts?.[0] && { type: parts[0].type, name: parts[0].name } },
      activity: Math.max(at ?? 0, this.#threads.get(id).activity ?? 0),
    });
  }

  #member({ op, thread }) {
    if (op === 'added') {
      this.#put(thread);
      this.#set(thread.id, { activity: Math.max(this.#threads.get(thread.id).activity, Date.now()) });
    } else {
      this.#threads.delete(thread.id);
    }
  }

  #event(event) {
    const id = event.thread_id;
    const thread = this.#threads.get(id);
    const isNew = event.epoch !== thread.epoch || event.seq > thread.seq;
    const isMine = event.sender_id === this.#me;
    if (isNew) this.#set(id, { epoch: event.epoch, seq: event.seq });
    if (event.type === 'message') {
      this.#preview(id, event);
      if (isNew && isMine) this.#set(id, { unread: 0, readSeq: event.seq });
      else if (isNew && !event.deleted && !event.erased) this.#set(id, { unread: thread.unread + 1 });
    } else if (event.type === 'edited' && thread.last?.seq === event.message_seq && event.text) {
      this.#set(id, { last: { ...thread.last, text: event.text.slice(0, 200) } });
    } else if (event.type === 'deleted') {
      if (thread.last?.seq === event.message_seq) this.#set(id, { last: { ...thread.last, text: '', deleted: true } });
      if (isNew && event.message_seq > (thread.readSeq ?? 0)) this.unsure.add(id);
    } else if (event.type === 'renamed') {
      this.#set(id, { title: event.title });
    } else if (event.type === 'role' && event.user_id === this.#me) {
      this.#set(id, { role: event.role });
    }
  }

  #read({ thread_id: id, user_id: user, read_seq: seq, date }) {
    const thread = this.#threads.get(id);
    if (!thread) return;
    if (user === this.#me) {
      const isAll = seq >= thread.seq;
      this.#set(id, { readSeq: seq, ...(isAll && { unread: 0 }) });
      if (!isAll) this.unsure.add(id);
      return;
    }
    const readers = { ...thread.readers, [user]: { seq, date } };
    const names = Object.keys(readers);
    if (names.length > MOST_READERS) delete readers[names[0]];
    this.#set(id, { readers });
  }

  #resumed({ threads }) {
    for (const [id, { state, epoch, to }] of Object.entries(threads)) {
      if (state === 'gone' || state === 'denied') this.#threads.delete(id);
      if (!this.#threads.has(id)) continue;
      if (state === 'rolled_back') this.#set(id, { epoch, seq: to, last: undefined });
      if (state === 'rolled_back') this.unsure.add(id);
      if (state === 'page') this.#moved(id, to);
    }
  }

  #behind({ threads }) {
    for (const [id, { to }] of Object.entries(threads)) this.#moved(id, to);
  }

  /** Events up to `to` exist that were not sent. */
  #moved(id, to) {
    const thread = this.#threads.get(id);
    if (!thread || to <= thread.seq) return;
    this.#set(id, { seq: to });
    this.unsure.add(id);
  }
}

/** The other user of a direct thread: its id is `direct.<length of the first id>.<first>.<second>`. */
export function otherUser(threadID, me) {
  const [, length, rest] = threadID.match(/^direct\.(\d+)\.(.*)$/) ?? [];
  if (!rest) return null;
  const [first, second] = [rest.slice(0, Number(length)), rest.slice(Number(length) + 1)];
  return first === me ? second : first;
}

/** The unread messages of all threads, except those of `except`. */
export const unreadTotal = (threads, except) =>
  threads.reduce((sum, thread) => sum + (thread.id === except ? 0 : (thread.unread ?? 0)), 0);
