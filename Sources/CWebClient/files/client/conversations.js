// The conversations in memory: the known part of each thread's log, loaded page by page around the visible part.
import { isChange, upToDate } from './fold.js';
import { Names } from './names.js';
import { pauseAfterRefusal } from './policy.js';
import * as timelines from './timeline.js';

/** The number of events in the first page and in further pages. */
const FIRST_PAGE = 80;
const PAGE = 200;
/** The maximum number of missing events to load. If more are missing, only the newest page is loaded. */
const CATCH_UP = 1_000;
/** The number of threads whose messages stay in memory. */
const KEPT_THREADS = 12;
/** The maximum number of recent changes of messages, over all threads, that pages are compared with. */
const RECENT = 500;
/** The delay of a read mark, in milliseconds, so that one mark covers a burst of messages. */
const READ_DELAY = 300;

export class Conversations {
  #host;
  #all = new Map();
  #syncing = new Set();
  /** Threads for which another pass was requested in the meantime. */
  #again = new Set();
  /** The last live edits, deletions and reactions. A page that the server read before them may arrive after them. */
  #recent = [];
  /** The names of users in events and lists, by ID. */
  names = new Names();
  openID = null;
  /** The row to show after a jump. The view clears it. */
  target = null;
  /** The target of a jump that could not be loaded yet. */
  #wanted = null;
  /** The error for which the open thread cannot be shown. */
  threadError = null;
  isLoadingOlder = false;
  isLoadingNewer = false;
  loadError = null;
  /** Called once for all changes of a turn. */
  onChange = () => {};
  #readTimer = null;
  #isClosed = false;

  /**
   * @param host `kept(id)` resolves to the cached timeline or `null`; `history(id, bounds, limit)` to a page;
   * `head(id)` is the thread in the list; `me`, the user; `pending(id, rows)` and `changes(id)` of the outbox;
   * `noted(id, seq, unread)` shows a read mark, and `read(id, seq)` sends it; `isConnected`, `isOver`; `changed()`;
   * `closed(conversations)`
   */
  constructor(host) {
    this.#host = host;
  }

  get timeline() {
    return this.#all.get(this.openID) ?? timelines.EMPTY;
  }

  /** Whether the open conversation ends with the newest message. */
  get isAtHead() {
    return !this.timeline.isDetached;
  }

  /** The messages of the outbox that the open conversation ends with. */
  get pending() {
    return this.isAtHead ? this.#host.pending(this.openID, this.timeline.rows) : [];
  }

  /** The pending edits, deletions and reactions of the open thread, by message. */
  get changes() { return this.#host.changes(this.openID); }

  get #isOver() { return this.#isClosed || this.#host.isOver; }

  close() {
    this.flush();
    this.#isClosed = true;
    this.#host.closed(this);
  }

  /** Handles a frame of the server, after the list of threads has. */
  frame(frame) {
    if (frame.type === 'resumed') {
      for (const [id, { state }] of Object.entries(frame.threads)) {
        if (!['live', 'replayed', 'unavailable'].includes(state)) this.forget(id);
      }
    } else if (frame.type === 'thread' && frame.op === 'removed') {
      this.forget(frame.thread.id);
    }
    if (frame.seq !== undefined) this.event(frame);
    // An event may show that others are missing. Nothing happens if none are, or if the user has left the thread.
    if (this.#host.head(this.openID) || !this.threadError) this.sync(this.openID);
  }

  /**
   * Handles a live or replayed event. An event that does not follow the previous one shows that others are missing, for
   * `sync`.
   */
  event(event) {
    this.names.learn(event);
    if (isChange(event)) this.#recent = [...this.#recent, event].slice(-RECENT);
    const timeline = this.#all.get(event.thread_id);
    if (timeline) this.#all.set(event.thread_id, timelines.withEvent(timeline, event));
  }

  /** Forgets a thread whose numbering has started over, or that the user has left. */
  forget(id) {
    this.#all.delete(id);
  }

  /** Shows another thread, or none (`null`). */
  open(id) {
    this.flush();
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
      // The thread opens at its end again, unless the end is distant.
      if (!timeline.isDetached) this.#all.set(id, timelines.trimmed(timeline, PAGE * 2));
    }
    for (const key of [...this.#all.keys()].slice(0, -KEPT_THREADS)) this.#all.delete(key);
  }

  /** Whether a message is being searched for, or about to be shown. */
  get isJumping() {
    return this.#wanted !== null || this.target !== null;
  }

  /** Loads the rows around `seq` without a target. */
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

  /** @param isWanted returns whether to show the loaded part */
  async #loadPart(id, seq, isWanted) {
    const after = Math.max(0, seq - PAGE / 2);
    const bounds = { after, before: after + PAGE };
    const page = await this.#history(id, bounds, PAGE);
    if (id !== this.openID || !isWanted()) return false;
    this.#all.set(id, this.#detached(timelines.fromPage(page, bounds), page.head_seq));
    return true;
  }

  /**
   * Loads the rows around `seq` and makes it the target. Without a connection nothing moves, and `connected` tries
   * again.
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
        // Another jump, or the return, may have begun in the meantime.
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

  /** Loads what could not be loaded before, after the connection has changed. */
  connected() {
    if (this.#wanted !== null && this.openID) this.jump(this.#wanted);
    this.sync(this.openID);
  }

  /**
   * Marks the open thread as read up to a position. The mark is shown immediately, and sent to the server after a delay.
   * @param seq the last message that the user sees; `Infinity` if that is the newest one
   */
  seen(seq) {
    const { openID: id, timeline } = this;
    const thread = this.#host.head(id);
    if (!thread?.unread || !timeline.isLoaded) return;
    const read = thread.readSeq ?? 0;
    const isAll = this.isAtHead && seq >= timeline.to && timeline.to >= thread.seq;
    const end = isAll ? thread.seq : Math.min(seq, timeline.to);
    if (!isAll && end <= read) return;
    // Until the server has counted, those on the screen count as read.
    const isCounted = (row) => row.seq > read && row.seq <= end && row.type === 'message' && row.sender_id !== this.#host.me.id && !row.deleted && !row.erased;
    this.#host.noted(id, end, isAll ? 0 : Math.max(1, thread.unread - timeline.rows.filter(isCounted).length));
    this.#readTimer ??= setTimeout(() => this.flush(), READ_DELAY);
  }

  /** Sends a read mark that still waits, before the user leaves the thread or the page. */
  flush() {
    if (this.#readTimer === null) return;
    clearTimeout(this.#readTimer);
    this.#readTimer = null;
    const thread = this.#host.head(this.openID);
    if (thread && !this.#isOver) this.#host.read(thread.id, thread.readSeq);
  }

  #detached(timeline, head) {
    return { ...timeline, isDetached: timeline.to < head };
  }

  /** Returns to the newest message. */
  toNewest() {
    this.#wanted = null;
    if (this.isAtHead) return;
    this.#all.delete(this.openID);
    this.sync(this.openID);
    this.#host.changed();
  }

  /** Brings a thread up to date: from this device, then from the server. */
  async sync(id) {
    if (!id) return;
    if (this.#syncing.has(id)) {
      // The present pass may have compared the ends before the latest event.
      this.#again.add(id);
      return;
    }
    this.#syncing.add(id);
    try {
      if (!this.#all.has(id)) {
        // The user has left a thread that is not in the list, possibly on another device.
        const isLeft = this.#host.isConnected && !this.#host.head(id);
        const kept = isLeft ? null : await this.#host.kept(id);
        if (kept && !this.#all.has(id)) this.#all.set(id, kept);
        kept?.rows.forEach((row) => this.names.learn(row));
        this.#host.changed();
      }
      while (!this.#isOver && this.#host.isConnected && await this.#step(id)) this.#host.changed();
      if (id === this.openID && this.#all.has(id)) this.threadError = null;
    } catch (error) {
      this.#failed(id, error);
      this.#syncLater(id, error);
    } finally {
      this.#syncing.delete(id);
    }
    this.#host.changed();
    if (this.#again.delete(id)) await this.sync(id);
  }

  /** Continues when the server may be able to answer again. After a lost connection `sync` is called anyway. */
  #syncLater(id, { isRetryable, code, retryAfter }) {
    if (!isRetryable || code === 'disconnected') return;
    setTimeout(() => { if (id === this.openID && !this.#isOver) this.sync(id); }, pauseAfterRefusal(retryAfter));
  }

  /** Loads one page of the missing part. @returns whether more may be missing */
  async #step(id) {
    const timeline = this.#all.get(id);
    const thread = this.#host.head(id);
    const isFar = thread && timeline && (thread.seq - timeline.to > CATCH_UP);
    // An empty thread has no epoch yet.
    const isOther = thread?.seq > 0 && timeline && timeline.epoch !== thread.epoch;
    if (timeline?.isDetached) return false;
    if (!timeline || isFar || isOther) {
      const page = await this.#history(id, {}, FIRST_PAGE);
      // A jump may have loaded another part, or an event of the former numbering may have arrived, so the caller looks again.
      if (this.#all.get(id) !== timeline) return true;
      this.#all.set(id, timelines.fromPage(page));
      return this.#host.head(id)?.epoch !== thread?.epoch;
    }
    if (!thread || timeline.to >= thread.seq) return false;
    const bounds = { after: timeline.to };
    const page = await this.#history(id, bounds, PAGE);
    // Live events may have filled the gap in the meantime.
    const present = this.#all.get(id);
    if (present?.epoch !== page.epoch) {
      // The numbering has started over, and this tab may not have heard of it yet: the newest page is next.
      this.#all.delete(id);
      return id === this.openID;
    }
    this.#all.set(id, timelines.withNewer(present, page, bounds));
    return this.#all.get(id).to > timeline.to;
  }

  #failed(id, error) {
    if (id !== this.openID || error.isRetryable) return;
    this.threadError = error;
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
      if (present && page.epoch !== present.epoch) {
        // As in `#step`. What is shown would ask for the same page again and again.
        this.#all.delete(id);
        this.sync(id);
      } else if (present) {
        this.#all.set(id, apply(present, page));
      }
    } catch (error) {
      if (id === this.openID) this.loadError = error;
    }
  }

  async #history(id, bounds, limit) {
    const page = upToDate(await this.#host.history(id, bounds, limit), this.#recent.filter((event) => event.thread_id === id));
    page.events.forEach((event) => this.names.learn(event));
    return page;
  }
}
