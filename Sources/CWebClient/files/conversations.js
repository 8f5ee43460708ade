// The conversations in memory: the known part of each thread's log, loaded page by page around what is shown.
import { Names } from './names.js';
import * as timelines from './timeline.js';

/** Events of the first page and of further ones. */
const FIRST_PAGE = 80;
const PAGE = 200;
/** If more events than this are missing, only the newest page is loaded. */
const CATCH_UP = 1_000;
/** Threads whose messages are kept in memory. */
const KEPT_THREADS = 12;

export class Conversations {
  #host;
  #all = new Map();
  #syncing = new Set();
  /** Names by id, of users seen in events and lists. */
  names = new Names();
  openID = null;
  /** The row to show, after a jump; the view clears it. */
  target = null;
  /** The message of a jump that could not be loaded yet. */
  #wanted = null;
  /** Why the open thread cannot be shown. */
  threadError = null;
  isLoadingOlder = false;
  isLoadingNewer = false;
  loadError = null;

  /**
   * @param host `kept(id)` resolves to the timeline on this device or `null`; `history(id, bounds, limit)` to a page;
   *   `head(id)` is the thread in the list; `isConnected`, `isOver`; `changed()`
   */
  constructor(host) {
    this.#host = host;
  }

  get timeline() {
    return this.#all.get(this.openID) ?? timelines.EMPTY;
  }

  /** Whether the open conversation reaches the newest message. */
  get isAtHead() {
    return !this.timeline.isDetached;
  }

  /** A live or replayed event; one that does not follow shows that others are missing, for `sync`. */
  event(event) {
    this.names.learn(event);
    const timeline = this.#all.get(event.thread_id);
    if (timeline) this.#all.set(event.thread_id, timelines.withEvent(timeline, event));
  }

  /** The numbering of a thread has started over, or the user is no member any more. */
  forget(id) {
    this.#all.delete(id);
  }

  /** Shows another thread, or none (`null`). */
  open(id) {
    this.openID = id;
    this.#wanted = null;
    this.target = null;
    this.threadError = null;
    this.loadError = null;
    this.isLoadingOlder = false;
    this.isLoadingNewer = false;
    const timeline = this.#all.get(id);
    if (timeline) {
      this.#all.delete(id);
      // From the end again, unless the end is far away.
      if (!timeline.isDetached) this.#all.set(id, timelines.trimmed(timeline, PAGE * 2));
    }
    for (const key of [...this.#all.keys()].slice(0, -KEPT_THREADS)) this.#all.delete(key);
  }

  /** Whether a message is looked for, or about to be shown. */
  get isJumping() {
    return this.#wanted !== null || this.target !== null;
  }

  /** Loads the rows around `seq`, and shows none in particular. */
  async loadAround(seq) {
    const id = this.openID;
    if (this.isLoadingOlder || !this.#host.isConnected) return;
    this.isLoadingOlder = true;
    try {
      await this.#loadPart(id, seq, () => this.isLoadingOlder);
    } catch (error) {
      this.#failed(id, error);
    }
    if (id === this.openID) this.isLoadingOlder = false;
    this.#host.changed();
  }

  /** @param isWanted whether the part is still to be shown when it is there */
  async #loadPart(id, seq, isWanted) {
    const after = Math.max(0, seq - PAGE / 2);
    const bounds = { after, before: after + PAGE };
    const page = await this.#history(id, bounds, PAGE);
    if (id !== this.openID || !isWanted()) return false;
    this.#all.set(id, this.#detached(timelines.fromPage(page, bounds), page.head_seq));
    return true;
  }

  /**
   * Loads the rows around `seq` and makes it the target. Without a connection nothing moves, and `connected` tries again.
   */
  async jump(seq) {
    const id = this.openID;
    this.#wanted = seq;
    const { isLoaded, from, to } = this.timeline;
    if (!isLoaded || seq < from || seq > to) {
      if (!this.#host.isConnected) {
        if (!isLoaded) this.sync(id);
        return;
      }
      try {
        // Another jump, or the way back, may have begun meanwhile.
        if (!await this.#loadPart(id, seq, () => this.#wanted === seq)) return;
      } catch (error) {
        if (!error.isRetryable && this.#wanted === seq) this.#wanted = null;
        this.#failed(id, error);
        return;
      }
    }
    this.#wanted = null;
    this.target = seq;
    this.#host.changed();
  }

  /** The connection is open: what could not be loaded before is. */
  connected() {
    if (this.#wanted !== null && this.openID) this.jump(this.#wanted);
  }

  #detached(timeline, head) {
    return { ...timeline, isDetached: timeline.to < head };
  }

  /** Back to the newest message. */
  toNewest() {
    this.#wanted = null;
    if (this.isAtHead) return;
    this.#all.delete(this.openID);
    this.sync(this.openID);
    this.#host.changed();
  }

  /** Brings a thread up to date: from this device, then from the server. */
  async sync(id) {
    if (this.#syncing.has(id) || !id) return;
    this.#syncing.add(id);
    try {
      if (!this.#all.has(id)) {
        // A thread that is not in the list has been left, maybe on another device a moment ago.
        const isLeft = this.#host.isConnected && !this.#host.head(id);
        const kept = isLeft ? null : await this.#host.kept(id);
        if (kept && !this.#all.has(id)) this.#all.set(id, kept);
        kept?.rows.forEach((row) => this.names.learn(row));
        this.#host.changed();
      }
      while (!this.#host.isOver && this.#host.isConnected && await this.#step(id)) this.#host.changed();
      if (id === this.openID && this.#all.has(id)) this.threadError = null;
    } catch (error) {
      this.#failed(id, error);
    } finally {
      this.#syncing.delete(id);
    }
    this.#host.changed();
  }

  /** One page of what is missing; whether there may be more. */
  async #step(id) {
    const timeline = this.#all.get(id);
    const thread = this.#host.head(id);
    const isFar = thread && timeline && (thread.seq - timeline.to > CATCH_UP);
    // An empty thread has no epoch yet.
    const isOther = thread?.seq > 0 && timeline && timeline.epoch !== thread.epoch;
    if (timeline?.isDetached) return false;
    if (!timeline || isFar || isOther) {
      const page = await this.#history(id, {}, FIRST_PAGE);
      // A jump may have loaded another part meanwhile.
      if (this.#all.get(id) === timeline) this.#all.set(id, timelines.fromPage(page));
      return false;
    }
    if (!thread || timeline.to >= thread.seq) return false;
    const bounds = { after: timeline.to };
    const page = await this.#history(id, bounds, PAGE);
    // Live events may have filled the gap meanwhile.
    const present = this.#all.get(id) ?? timeline;
    this.#all.set(id, timelines.withNewer(present, page, bounds));
    return this.#all.get(id).to > timeline.to;
  }

  #failed(id, error) {
    if (id !== this.openID || error.isRetryable) return;
    this.threadError = error.message;
    this.#all.delete(id);
  }

  async loadOlder() {
    const timeline = this.timeline;
    if (!timeline.isLoaded || timelines.isAtStart(timeline) || this.isLoadingOlder) return;
    this.isLoadingOlder = true;
    const bounds = { before: timeline.from };
    await this.#load(bounds, (present, page) => {
      const next = timelines.withOlder(present, page, bounds);
      return { ...next, isDetached: present.isDetached || next.to < present.to };
    });
    this.isLoadingOlder = false;
    this.#host.changed();
  }

  async loadNewer() {
    const timeline = this.timeline;
    if (this.isAtHead || this.isLoadingNewer) return;
    this.isLoadingNewer = true;
    const bounds = { after: timeline.to };
    await this.#load(bounds, (present, page) => this.#detached(timelines.withNewer(present, page, bounds), page.head_seq));
    this.isLoadingNewer = false;
    if (this.openID) this.sync(this.openID);
    this.#host.changed();
  }

  async #load(bounds, apply) {
    const id = this.openID;
    this.loadError = null;
    this.#host.changed();
    try {
      const page = await this.#history(id, bounds, PAGE);
      const present = this.#all.get(id);
      if (present) this.#all.set(id, apply(present, page));
    } catch (error) {
      if (id === this.openID) this.loadError = error;
    }
  }

  async #history(id, bounds, limit) {
    const page = await this.#host.history(id, bounds, limit);
    page.events.forEach((event) => this.names.learn(event));
    return page;
  }
}
