// The state and actions of the logged-in client. It owns all state and notifies its listener of changes.
import * as api from './api.js';
import * as inboxes from './inbox.js';
import * as outboxes from './outbox.js';
import * as timelines from './timeline.js';
import { firstOfUnread } from './format.js';
import { LiveConnection } from './socket.js';

/**
 * A subscription and the store may lag briefly behind a newly opened socket. Missed messages are therefore loaded at
 * once, to show them, and again after this many milliseconds; only then does a thread count as complete.
 */
const SETTLING = 3_000;

/** How often overdue messages are checked for, in milliseconds. */
const TICK = 5_000;

/** How often the inbox is reloaded for changes without an event (read on another device, added to a thread). */
const INBOX_REFRESH = 60_000;

/** How long `{"read"}` is delayed so that one covers a burst of messages. */
const READ_DELAY = 300;

/** If more pages than this were missed, only the newest is loaded, and the others by scrolling. */
const CATCH_UP_PAGES = 10;

/** Maximum number of threads whose messages are kept. */
const KEPT_THREADS = 20;

/** Messages kept: of a closed thread, of a thread read at its end, and at most. */
const KEPT_MESSAGES = 60;
const KEPT_AT_END = 500;
const MOST_MESSAGES = 2_000;

export class Chat {
  #listener;
  #onSignedOut;
  #connection;
  #timelines = new Map();
  #syncing = new Set();
  #reads = new Set();
  #readTimer = null;
  #timers = [];
  #isChanged = false;
  #isOver = false;
  /** The messages that arrived during the present inbox request; `null` if there is none. */
  #since = null;
  #refreshAgain = false;
  /** The unread count when the thread was opened; shown as soon as those messages are loaded. */
  #unreadAtOpening = 0;

  threads = [];
  isInboxLoaded = false;
  inboxError = null;
  outbox = [];
  /** The id of the open thread. */
  openID = null;
  /** Why the open thread cannot be shown; the server's error text. */
  threadError = null;
  isLoadingOlder = false;
  olderError = null;
  /** The id of the message in the open thread below the "new" row. */
  firstUnread = null;

  /**
   * @param me `{id, username}`
   * @param listener called after changes, once for all changes of one turn, with `{live: message}` for each message
   *   that arrived live
   * @param onSignedOut called once when the session has ended
   */
  constructor(me, listener, onSignedOut) {
    this.me = me;
    this.#listener = listener;
    this.#onSignedOut = onSignedOut;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.#connection = new LiveConnection(`${scheme}://${location.host}/chat`, {
      onState: () => this.#connectionChanged(),
      onFrame: (frame) => this.#received(frame),
      onSignedOut: () => this.#signedOut(),
      probe: () => this.#probe(),
    });
  }

  start() {
    this.#connection.start();
    this.#refreshInbox();
    this.#timers = [
      setInterval(() => this.#tick(), TICK),
      setInterval(() => document.visibilityState === 'visible' && this.#refreshInbox(), INBOX_REFRESH),
    ];
  }

  /** Closes everything; the object must not be used afterwards. */
  stop() {
    this.#isOver = true;
    this.#timers.forEach(clearInterval);
    clearTimeout(this.#readTimer);
    this.#connection.stop();
  }

  // MARK: State for the views

  get connectionState() {
    return this.#connection.state;
  }

  get stopReason() {
    return this.#connection.stopReason;
  }

  get openThread() {
    return this.threads.find((each) => each.id === this.openID) ?? null;
  }

  get openTimeline() {
    return this.#timelines.get(this.openID) ?? timelines.EMPTY;
  }

  get pending() {
    return this.outbox.filter((entry) => entry.thread === this.openID);
  }

  // MARK: Actions of the views

  /** Opens thread `id`, or none (`null`). */
  open(id) {
    if (id === this.openID) return;
    this.#flushReads();
    if (this.openID) this.#change(this.openID, (timeline) => timelines.trimmed(timeline, KEPT_MESSAGES));
    this.openID = id;
    this.threadError = null;
    this.olderError = null;
    this.isLoadingOlder = false;
    this.firstUnread = null;
    if (id) {
      this.#unreadAtOpening = this.openThread?.unread_count ?? 0;
      const timeline = this.#timelines.get(id) ?? timelines.EMPTY;
      this.#timelines.delete(id);
      this.#timelines.set(id, timeline);
      this.#forgetOldest();
      this.#markNew();
      this.#sync(id);
    }
    this.#changed();
  }

  /** Joins the room of that title and resolves to its id. Throws `APIError`. */
  async join(title) {
    const thread = await this.#signedIn(api.join(title));
    this.threads = inboxes.withThread(this.threads, thread);
    this.#changed();
    this.#refreshInbox();
    return thread.id;
  }

  /** Sends to the open thread; `false` if too many messages wait already. */
  send(text) {
    const entry = { key: crypto.randomUUID?.() ?? `${Math.random()}`, thread: this.openID, text, at: Date.now() };
    const outbox = outboxes.withEntry(this.outbox, entry);
    if (!outbox) return false;
    this.outbox = outbox;
    this.#flush();
    this.#changed();
    return true;
  }

  retry(key) {
    this.outbox = outboxes.withRetry(this.outbox, key);
    this.#flush();
    this.#changed();
  }

  discard(key) {
    this.outbox = outboxes.without(this.outbox, key);
    this.#changed();
  }

  /** Loads the page before the oldest message of the open thread. */
  async loadOlder() {
    const id = this.openID;
    const { atStart, isLoaded } = this.openTimeline;
    const oldest = timelines.firstSeq(this.openTimeline);
    if (!isLoaded || atStart || oldest === undefined || this.isLoadingOlder) return;
    this.isLoadingOlder = true;
    this.olderError = null;
    this.#changed();
    try {
      const page = await this.#signedIn(api.messages(id, { before_seq: oldest }));
      this.#change(id, (timeline) => timelines.withOlderPage(timeline, page, oldest));
    } catch (error) {
      if (id === this.openID) this.olderError = error.message;
    }
    if (id === this.openID) this.isLoadingOlder = false;
    this.#changed();
  }

  /** The newest message of the open thread is visible: marks the thread as read on all devices. */
  markSeen() {
    if (!this.openThread?.unread_count || document.visibilityState !== 'visible') return;
    this.threads = inboxes.withRead(this.threads, this.openID);
    this.#reads.add(this.openID);
    this.#readTimer ??= setTimeout(() => this.#flushReads(), READ_DELAY);
    this.#change(this.openID, (timeline) => timelines.trimmed(timeline, KEPT_AT_END));
    this.#changed();
  }

  /** The page became visible or hidden. */
  visibilityChanged() {
    if (document.visibilityState !== 'visible') {
      this.#flushReads();
      return;
    }
    this.wake();
    this.#refreshInbox();
    if (this.openID) {
      this.#unreadAtOpening = this.openThread?.unread_count ?? 0;
      this.#markNew();
      this.#sync(this.openID);
    }
    this.#changed();
  }

  /** The network is back: connects at once if waiting to. */
  wake() {
    this.#connection.wake();
  }

  /** The user reconnects after a close code that forbids automatic reconnects. */
  reconnect() {
    this.#connection.start();
  }

  // MARK: Connection

  #connectionChanged() {
    if (this.#isOver) return;
    if (this.#connection.state === 'open') {
      const { generation } = this.#connection;
      this.#refreshInbox();
      if (this.openID) this.#sync(this.openID);
      this.#flush();
      setTimeout(() => {
        if (generation === this.#connection.generation && !this.#isOver) this.#settled();
      }, SETTLING);
    } else {
      for (const [id, timeline] of this.#timelines) this.#timelines.set(id, timelines.interrupted(timeline));
      this.outbox = outboxes.interrupted(this.outbox);
    }
    this.#changed();
  }

  get #isSettled() {
    const { state, openedAt } = this.#connection;
    return state === 'open' && performance.now() - openedAt >= SETTLING;
  }

  #settled() {
    this.#refreshInbox();
    this.#tick();
  }

  #tick() {
    const now = Date.now();
    this.outbox = outboxes.withFailures(this.outbox, now);
    // A socket that does not echo a message may be dead without notice.
    if (outboxes.isOverdue(this.outbox, now)) this.#connection.restart();
    if (this.openID && (this.openTimeline.isStale || !this.openTimeline.isLoaded)) this.#sync(this.openID);
    for (const id of outboxes.unsureThreads(this.outbox)) this.#sync(id);
    if (!this.isInboxLoaded) this.#refreshInbox();
    this.#flush();
    this.#changed();
  }

  async #probe() {
    try {
      await api.inbox();
      return { isSignedOut: false, retryAfter: 0 };
    } catch (error) {
      return { isSignedOut: error.isSignedOut, retryAfter: error.retryAfter };
    }
  }

  #received(message) {
    if (typeof message.thread_id !== 'string' || typeof message.text !== 'string') return;
    message.id ??= `unnumbered-${crypto.randomUUID?.() ?? Math.random()}`;
    const id = message.thread_id;
    if (message.sender_id === this.me.id) this.outbox = outboxes.withEcho(this.outbox, message);
    this.#since?.push(message);
    if (this.threads.some((each) => each.id === id)) {
      this.threads = inboxes.withMessage(this.threads, message, this.me.id);
    } else {
      this.#refreshInbox();
    }
    const most = id === this.openID ? MOST_MESSAGES : KEPT_MESSAGES;
    this.#change(id, (timeline) => timelines.trimmed(timelines.withLiveMessage(timeline, message), most));
    if (id === this.openID && !this.openTimeline.isLoaded) this.#sync(id);
    this.#listener({ live: message });
    this.#changed();
  }

  #flush() {
    for (const entry of outboxes.due(this.outbox)) {
      const known = Math.max(
        timelines.lastSeq(this.#timelines.get(entry.thread) ?? timelines.EMPTY),
        this.threads.find((each) => each.id === entry.thread)?.last_message?.seq ?? 0);
      if (!this.#connection.send({ message: { id: entry.thread, text: entry.text } })) return;
      this.outbox = outboxes.withWritten(this.outbox, entry.key, known, Date.now());
    }
  }

  #flushReads() {
    clearTimeout(this.#readTimer);
    this.#readTimer = null;
    for (const id of this.#reads) {
      // Not repeated later without a socket: "read" would then cover messages that nobody has seen.
      this.#connection.send({ read: id });
    }
    this.#reads.clear();
  }

  // MARK: Loading

  /** Loads the inbox; messages that arrive meanwhile are neither lost nor counted twice. */
  async #refreshInbox() {
    if (this.#since) {
      this.#refreshAgain = true;
      return;
    }
    this.#since = [];
    try {
      const threads = await this.#signedIn(api.inbox());
      this.threads = inboxes.fromServer(threads, this.#since, this.me.id);
      this.isInboxLoaded = true;
      this.inboxError = null;
    } catch (error) {
      this.inboxError = error.message;
      this.#refreshAgain = false;
    }
    this.#since = null;
    if (this.#refreshAgain && !this.#isOver) {
      this.#refreshAgain = false;
      this.#refreshInbox();
    }
    this.#changed();
  }

  /**
   * Brings a thread up to date, one call at a time. As reading a page marks the thread as read, this waits until the
   * user can see it, unless there are unsure messages.
   */
  async #sync(id) {
    const isUnsure = outboxes.unsureThreads(this.outbox).includes(id);
    const isSeen = id === this.openID && document.visibilityState === 'visible';
    if (this.#syncing.has(id) || this.#isOver || !(isSeen || isUnsure)) return;
    this.#syncing.add(id);
    try {
      await this.#load(id);
      if (id === this.openID) this.threadError = null;
    } catch (error) {
      // Without a response it is retried; a rejection is shown to the user.
      if (id === this.openID && [400, 403, 404].includes(error.status)) this.threadError = error.message;
    }
    this.#syncing.delete(id);
    this.#changed();
  }

  async #load(id) {
    const { generation } = this.#connection;
    const wasSettled = this.#isSettled;
    const isLive = () => wasSettled && generation === this.#connection.generation && this.#connection.state === 'open';
    const page = async (bounds) => {
      const result = await this.#signedIn(api.messages(id, bounds));
      const mine = result.messages.filter((message) => message.sender_id === this.me.id);
      this.outbox = mine.reverse().reduce(outboxes.withEcho, this.outbox);
      return result;
    };
    // Unsure messages can be decided only if nothing was skipped.
    const most = outboxes.unsureThreads(this.outbox).includes(id) ? Infinity : CATCH_UP_PAGES;
    let isComplete = false;
    const timeline = () => this.#timelines.get(id) ?? timelines.EMPTY;
    if (timeline().isLoaded && timeline().isStale) {
      for (let count = 0; count < most && !isComplete; count += 1) {
        const next = await page({ after_seq: timeline().through });
        this.#change(id, (each) => timelines.withNewerPage(each, next, isLive()));
        isComplete = next.end || next.messages.length === 0;
      }
    }
    if (!isComplete && (timeline().isStale || !timeline().isLoaded)) {
      const newest = await page();
      this.#change(id, (each) => timelines.withNewestPage(each, newest, isLive()));
    }
    if (isLive()) this.outbox = outboxes.withHistoryRead(this.outbox, id);
    this.threads = inboxes.withRead(this.threads, id);
    if (id === this.openID) this.#markNew();
    this.#flush();
  }

  /** Sets the "new" row above the unread messages, once all of them are loaded. */
  #markNew() {
    const { isLoaded, isStale, messages } = this.openTimeline;
    if (!this.#unreadAtOpening || !isLoaded || (isStale && !this.#syncing.has(this.openID))) return;
    this.firstUnread = firstOfUnread(messages, this.#unreadAtOpening, this.me.id);
    this.#unreadAtOpening = 0;
  }

  /** Passes on the result of a call; signs out if the session has ended. */
  async #signedIn(answer) {
    try {
      return await answer;
    } catch (error) {
      if (error.isSignedOut) this.#signedOut();
      throw error;
    }
  }

  #signedOut() {
    if (this.#isOver) return;
    this.stop();
    this.#onSignedOut();
  }

  // MARK: State

  /** Changes the timeline of a thread, if it is kept. */
  #change(id, change) {
    const timeline = this.#timelines.get(id);
    if (timeline) this.#timelines.set(id, change(timeline));
  }

  #forgetOldest() {
    for (const id of this.#timelines.keys()) {
      if (this.#timelines.size <= KEPT_THREADS) return;
      if (id !== this.openID && !this.outbox.some((entry) => entry.thread === id)) this.#timelines.delete(id);
    }
  }

  #changed() {
    if (this.#isChanged) return;
    this.#isChanged = true;
    queueMicrotask(() => {
      this.#isChanged = false;
      if (!this.#isOver) this.#listener({});
    });
  }
}
