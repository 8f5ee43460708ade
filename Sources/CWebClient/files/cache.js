// The messages kept on this device: the newest part of the threads that were opened last.
import { folded, isChange, isRow } from './fold.js';
import { EMPTY, pageRange } from './timeline.js';

/** Threads kept, and rows of each. */
const THREADS = 40;
const ROWS = 500;

/** How long events are collected for one transaction, in milliseconds. */
const DELAY = 150;

const wholeThread = (id) => IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]);

/**
 * Written by the tab that has the connection, read by all. `segments` tells for each kept thread which part of the log
 * `rows` has, `from` to `to` of `epoch`; every change of both is one transaction.
 */
export class Cache {
  #database;
  #segments = new Map();
  /** How many changes of rows before the kept part each thread had. */
  #earlier = new Map();
  #queue = [];
  #timer = null;
  #isWriting = false;
  #isAbandoned = false;

  constructor(database) {
    this.#database = database;
  }

  async load() {
    const all = await this.#database.transact(['segments'], 'readonly', (store) => store('segments').all(), []);
    for (const segment of all) this.#segments.set(segment.id, segment);
  }

  /** Where each kept thread ends: the positions to resume from. */
  get positions() {
    return new Map([...this.#segments].map(([id, { epoch, to }]) => [id, { epoch, seq: to }]));
  }

  /** A live or replayed event. */
  event(event) {
    const segment = this.#segments.get(event.thread_id);
    if (!segment || segment.epoch !== event.epoch || event.seq !== segment.to + 1) return;
    this.#segments.set(segment.id, { ...segment, to: event.seq });
    if (isChange(event) && event.message_seq < segment.from) this.#earlier.set(segment.id, this.earlierChanges(segment.id) + 1);
    this.#add(segment.id, [event], true);
  }

  /** A page that was asked for while this number was another may have been read before such a change. */
  earlierChanges(id) {
    return this.#earlier.get(id) ?? 0;
  }

  /** A page that a tab has asked for; kept if it continues what is known. @param changes `earlierChanges` when it was asked for */
  page(id, page, bounds, changes) {
    if (!page.epoch) return;
    const range = pageRange(page, bounds);
    const segment = this.#segments.get(id);
    const isNext = segment?.epoch === page.epoch && bounds.after !== undefined && bounds.after === segment.to;
    if (isNext) {
      this.#segments.set(id, { ...segment, to: Math.max(range.to, segment.to), usedAt: Date.now() });
      this.#add(id, page.events, true);
    } else if (bounds.before === undefined && bounds.after === undefined) {
      if (segment?.epoch === page.epoch && range.from <= segment.to + 1 && range.to >= segment.to) {
        // It overlaps what is kept; its messages are in their current state.
        this.#segments.set(id, { ...segment, to: range.to, from: Math.min(segment.from, range.from), usedAt: Date.now() });
      } else {
        this.remove(id);
        this.#segments.set(id, { id, epoch: page.epoch, ...range, usedAt: Date.now() });
      }
      this.#add(id, page.events, false);
    } else if (segment?.epoch === page.epoch && bounds.after === undefined && range.to === segment.from - 1) {
      if (segment.to - range.from > ROWS || changes !== this.earlierChanges(id)) return;
      this.#segments.set(id, { ...segment, from: range.from });
      this.#add(id, page.events, false);
    }
  }

  /** The kept part of a thread as a timeline, or `null`. */
  async timeline(id) {
    await this.flush();
    return this.#database.transact(['segments', 'rows'], 'readonly', async (store) => {
      const segment = await store('segments').get(id);
      if (!segment) return null;
      const rows = await store('rows').all(wholeThread(id));
      return { ...EMPTY, epoch: segment.epoch, from: segment.from, to: segment.to, rows, isLoaded: true };
    }, null);
  }

  remove(id) {
    this.#earlier.delete(id);
    if (!this.#segments.delete(id)) return;
    this.#queue.push({ id, isRemoval: true });
    this.#schedule();
  }

  #add(id, events, changesEarlier) {
    this.#queue.push({ id, events, changesEarlier });
    this.#schedule();
  }

  #schedule() {
    this.#timer ??= setTimeout(() => this.flush(), DELAY);
  }

  async flush() {
    clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#queue.length === 0 || this.#isWriting || this.#isAbandoned) return;
    const batch = this.#queue;
    this.#queue = [];
    this.#forgetOldest(batch);
    const segments = [...new Set(batch.map(({ id }) => id))].map((id) => [id, this.#segments.get(id)]);
    this.#isWriting = true;
    const isWritten = await this.#database.transact(['segments', 'rows'], 'readwrite', async (store) => {
      const rows = store('rows');
      for (const change of batch) await write(change, rows);
      for (const [id, segment] of segments) {
        if (segment) store('segments').put(await trimmed(segment, rows));
        else store('segments').delete(id);
      }
      return true;
    }, false);
    this.#isWriting = false;
    if (this.#queue.length > 0 && !this.#isAbandoned) this.#schedule();
    if (!isWritten && this.#database.isOpen) this.#dropUnwritten(segments.map(([id]) => id));
  }

  /** The device may have no room. What is written next would hide a gap, so nothing of these threads is kept. */
  #dropUnwritten(ids) {
    const dropped = new Set(ids);
    this.#queue = [...ids.map((id) => ({ id, isRemoval: true })), ...this.#queue.filter(({ id }) => !dropped.has(id))];
    for (const id of ids) {
      this.#segments.delete(id);
      this.#earlier.delete(id);
    }
  }

  /** Another tab writes from now on; what is not written yet may be older than what it has. */
  abandon() {
    this.#isAbandoned = true;
    this.#queue = [];
    clearTimeout(this.#timer);
  }

  #forgetOldest(batch) {
    const surplus = this.#segments.size - THREADS;
    if (surplus <= 0) return;
    const oldest = [...this.#segments.values()].sort((a, b) => a.usedAt - b.usedAt).slice(0, surplus);
    for (const { id } of oldest) {
      this.#segments.delete(id);
      batch.push({ id, isRemoval: true });
    }
  }
}

async function write({ id, events, changesEarlier, isRemoval }, rows) {
  if (isRemoval) {
    await rows.delete(wholeThread(id));
    return;
  }
  for (const event of events) {
    if (isRow(event)) {
      rows.put(event);
    } else if (changesEarlier && isChange(event)) {
      const row = await rows.get([id, event.message_seq]);
      if (row) rows.put(folded(row, event));
    }
  }
}

/** Drops the oldest rows now and then. */
async function trimmed(segment, rows) {
  if (segment.to - segment.from < ROWS * 2) return segment;
  const from = segment.to - ROWS;
  await rows.delete(IDBKeyRange.bound([segment.id, 0], [segment.id, from - 1]));
  return { ...segment, from };
}
