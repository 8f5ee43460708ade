// The cached messages on this device: the newest part of the most recently opened threads.
import { folded, isChange, isRow } from './fold.js';
import { EMPTY, pageRange } from './timeline.js';

/** The maximum number of cached threads, and of rows in each. */
const THREADS = 40;
const ROWS = 500;

/** The time that events are collected for one transaction, in milliseconds. */
const DELAY = 150;

const wholeThread = (id) => ({ lower: [id, 0], upper: [id, Number.MAX_SAFE_INTEGER] });

/**
 * The tab with the connection writes the cache, and all tabs read it. `segments` describes the range of `rows` for each
 * cached thread: `from` to `to` of `epoch`. Every change of both is one transaction.
 */
export class Cache {
  #database;
  #segments = new Map();
  /** The segments as this tab has last read or written them, as text. */
  #stored = new Map();
  /** The number of changes of rows before the cached range, by thread. */
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
    this.#segments = new Map(all.map((segment) => [segment.id, segment]));
    this.#stored = new Map(all.map((segment) => [segment.id, JSON.stringify(segment)]));
  }

  /** The end of each cached thread, which is the position to resume from. */
  get positions() {
    return new Map([...this.#segments].map(([id, { epoch, to }]) => [id, { epoch, seq: to }]));
  }

  /** Handles a live or replayed event. */
  event(event) {
    const segment = this.#segments.get(event.thread_id);
    if (!segment || segment.epoch !== event.epoch || event.seq !== segment.to + 1) return;
    this.#segments.set(segment.id, { ...segment, to: event.seq });
    if (isChange(event) && event.message_seq < segment.from) this.#earlier.set(segment.id, this.earlierChanges(segment.id) + 1);
    this.#add(segment.id, [event], true);
  }

  /** The number of earlier changes. If it has changed since a page was requested, the page may be outdated. */
  earlierChanges(id) {
    return this.#earlier.get(id) ?? 0;
  }

  /**
   * Caches a page that a tab has requested, if it is adjacent to the cached range. @param changes the value of
   * `earlierChanges` at the time of the request
   */
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
        // The page overlaps the cached range. Its messages are in their current state.
        this.#segments.set(id, { ...segment, to: range.to, from: Math.min(segment.from, range.from), usedAt: Date.now() });
        // Earlier messages are not in the page, only their changes.
        this.#add(id, page.events.filter(({ seq, message_seq: target }) => seq > segment.to && target < range.from), true);
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

  /** Continues the cached part of a thread under another epoch, in which nothing is void. */
  continued(id, epoch) {
    const segment = this.#segments.get(id);
    if (!segment || !epoch || segment.epoch === epoch) return;
    this.#segments.set(id, { ...segment, epoch });
    this.#add(id, [], false);
  }

  /** The kept part of a thread as a timeline, or `null`. */
  async timeline(id) {
    await this.flush();
    return this.#database.transact(['segments', 'rows'], 'readonly', async (store) => {
      const segment = await store('segments').get(id);
      if (!segment) return null;
      const rows = await store('rows').all({ lower: [id, segment.from], upper: [id, segment.to] });
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
    const [starts, stored] = [new Map(), new Map()];
    this.#isWriting = true;
    const isWritten = await this.#database.transact(['segments', 'rows'], 'readwrite', async (store) => {
      // The system may have suspended this tab, and another one has written since.
      for (const [id] of segments) if (JSON.stringify(await store('segments').get(id)) !== this.#stored.get(id)) return null;
      const rows = store('rows');
      for (const change of batch) await write(change, rows);
      for (const [id, segment] of segments) {
        const rest = segment && await trimmed(segment, rows);
        if (rest && rest !== segment) starts.set(segment, rest.from);
        stored.set(id, JSON.stringify(rest));
        if (rest) store('segments').put(rest);
        else store('segments').delete(id);
      }
      return true;
    }, false);
    if (isWritten === null) {
      await this.load();
      this.#queue = [];
    }
    this.#isWriting = false;
    if (isWritten) {
      this.#stored = new Map([...this.#stored, ...stored]);
      for (const [segment, from] of starts) this.#trimmed(segment, from);
    }
    if (this.#queue.length > 0 && !this.#isAbandoned) this.#schedule();
    if (isWritten === false && this.#database.isOpen) this.#dropUnwritten(segments.map(([id]) => id));
  }

  /** Notes that the oldest rows of a segment were dropped. The segment may have grown in the meantime. */
  #trimmed({ id, epoch, from: former }, from) {
    const present = this.#segments.get(id);
    if (present?.epoch === epoch && present.from === former) this.#segments.set(id, { ...present, from });
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

  /** Stops writing, because another tab writes. Unwritten data may be older than its data. */
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

/** Removes the oldest rows at intervals. */
async function trimmed(segment, rows) {
  if (segment.to - segment.from < ROWS * 2) return segment;
  const from = segment.to - ROWS;
  await rows.delete({ lower: [segment.id, 0], upper: [segment.id, from - 1] });
  return { ...segment, from };
}
