// One tab's view of the chat: threads, the open conversation, and the actions of the user. It asks the leading tab.
import { Cache } from './cache.js';
import { Database } from './database.js';
import { Engine } from './engine.js';
import { Hub } from './hub.js';
import { Names } from './names.js';
import * as outboxes from './outbox.js';
import { otherUser, Roster } from './roster.js';
import * as timelines from './timeline.js';
import { Typing } from './typing.js';
import { uuidV7 } from './uuid.js';

/** Events of the first page and of further ones. */
const FIRST_PAGE = 80;
const PAGE = 200;
/** If more events than this are missing, only the newest page is loaded. */
const CATCH_UP = 1_000;
/** Threads whose messages are kept in memory. */
const KEPT_THREADS = 12;
/** How long a read mark waits, so that one covers a burst of messages. */
const READ_DELAY = 300;
/** Attempts to hand an entry to the leading tab, which may be closed meanwhile. */
const HANDOVERS = 4;

export class Chat {
  #listener;
  #hub;
  #database;
  #cache;
  #engine = null;
  #timelines = new Map();
  #syncing = new Set();
  #readTimer = null;
  #isChanged = false;
  #isOver = false;
  #isReplaying = false;
  #watched = '';
  #order = 0;
  /** Names by id, of users seen in events and lists; bounded. */
  #names = new Names();

  roster;
  outbox = [];
  presence = new Map();
  typing;
  connection = { state: 'connecting', reason: '' };
  isReady = false;
  openID = null;
  /** The row to show, after a jump; the view clears it. */
  target = null;
  /** Messages above this number were unread when the thread was opened. */
  dividerSeq = null;
  /** Why the open thread cannot be shown. */
  threadError = null;
  isLoadingOlder = false;
  isLoadingNewer = false;
  loadError = null;

  /**
   * @param me `{id, username}`
   * @param listener `onChange()`, once for all changes of one turn; `onLive(message)` for each message that has just
   *   been sent; `onRefused({op, message})`; `onSignedOut()`, once
   */
  constructor(me, listener) {
    this.me = me;
    this.#listener = listener;
    this.roster = new Roster(me.id);
    this.typing = new Typing(me.id, () => this.#changed(), (command) => this.#command(command).catch(() => {}));
  }

  async start() {
    this.#database = await Database.open(this.me.id);
    if (this.#isOver) return;
    this.#cache = new Cache(this.#database);
    this.#hub = new Hub(`parley-${this.me.id}`, {
      onLead: () => this.#lead(),
      onRequest: async (body, tab) => this.#engine.handle(body, tab),
      onMessage: (message) => this.#received(message),
      onLeader: () => this.#follow(),
    });
    this.#hub.start();
    if (!this.#hub.isLeader) this.#follow();
  }

  /** Closes everything; the object must not be used afterwards. */
  stop() {
    this.#isOver = true;
    clearTimeout(this.#readTimer);
    this.typing.stop();
    this.#engine?.stop();
    this.#hub?.stop();
    this.#database?.close();
  }

  get isLeader() {
    return this.#hub?.isLeader ?? false;
  }

  #lead() {
    const emit = (message) => { if (!this.#isOver) this.#hub.broadcast(message); };
    this.#engine = new Engine(this.me, this.#database, emit, () => emit({ signedOut: true }));
    this.#engine.start();
  }

  async #follow() {
    this.#watched = '';
    try {
      const snapshot = await this.#hub.request({ do: 'snapshot' });
      if (!this.#isOver) this.#received({ snapshot });
    } catch {
      // The next leader announces itself.
    }
  }

  // MARK: From the leading tab

  #received(message) {
    if (this.#isOver) return;
    if (message.snapshot) this.#restored(message.snapshot);
    else if (message.frame) this.#frame(message.frame);
    else if (message.listed) this.roster.listed(message.listed);
    else if (message.outbox) this.outbox = message.outbox;
    else if (message.presence) this.presence = new Map(message.presence.map((each) => [each.user_id, each]));
    else if (message.refused) this.#listener.onRefused(message.refused);
    else if (message.signedOut) this.#listener.onSignedOut();
    else if (message.connection) this.#connected(message.connection);
    if (message.listed || message.snapshot) this.#watch();
    this.#changed();
  }

  #restored({ threads, outbox, connection, presence }) {
    this.roster = new Roster(this.me.id, threads);
    this.outbox = outbox;
    this.presence = new Map(presence.map((each) => [each.user_id, each]));
    this.isReady = true;
    this.#connected(connection);
    if (!this.openID) return;
    this.#mark();
    // Without a connection too: from this device.
    this.#sync(this.openID);
  }

  #connected(connection) {
    this.connection = connection;
    if (this.openID) this.#sync(this.openID);
  }

  #frame(frame) {
    this.roster.apply(frame);
    this.roster.unsure.clear();
    switch (frame.type) {
      case 'hello':
        this.#isReplaying = true;
        this.#watch();
        break;
      case 'resumed':
        this.#isReplaying = false;
        for (const [id, { state }] of Object.entries(frame.threads)) {
          if (state !== 'live' && state !== 'replayed') this.#timelines.delete(id);
        }
        break;
      case 'presence': this.presence.set(frame.user_id, frame); return;
      case 'typing': this.typing.received(frame); return;
      case 'thread': this.#watch(); break;
      default:
    }
    if (frame.seq !== undefined) this.#event(frame);
    // An event may show that others are missing; nothing happens if not.
    if (this.openID) this.#sync(this.openID);
  }

  #event(event) {
    const id = event.thread_id;
    this.#names.learn(event);
    const timeline = this.#timelines.get(id);
    if (timeline) this.#timelines.set(id, timelines.withEvent(timeline, event));
    if (event.type !== 'message') return;
    this.typing.ended(id, event.sender_id);
    if (event.sender_id !== this.me.id && !this.#isReplaying) this.#listener.onLive(event);
  }

  // MARK: State for the views

  get threads() {
    return this.roster.list;
  }

  get openThread() {
    return this.openID ? (this.roster.get(this.openID) ?? null) : null;
  }

  get timeline() {
    return this.#timelines.get(this.openID) ?? timelines.EMPTY;
  }

  /** Whether the open conversation reaches the newest message. */
  get isAtHead() {
    return !this.timeline.isDetached;
  }

  get pending() {
    const ids = new Set(this.timeline.rows.slice(-outboxes.CAPACITY).map((row) => row.client_id));
    return this.isAtHead ? outboxes.pendingOf(this.outbox, this.openID, (id) => ids.has(id)) : [];
  }

  /** The waiting edits, deletions and reactions of the open thread, by message. */
  get changes() {
    const result = new Map();
    for (const entry of this.outbox) {
      if (!entry.messageID || entry.thread !== this.openID) continue;
      result.set(entry.messageID, [...(result.get(entry.messageID) ?? []), entry]);
    }
    return result;
  }

  /** The names of users seen in the open thread, recent senders first. */
  knownNames() {
    const { rows } = this.timeline;
    const senders = rows.slice(-500).reverse().map((row) => row.sender_name ?? row.username).filter(Boolean);
    return [...senders, ...this.#names.values()];
  }

  /** The name of a user, if it was seen. */
  nameOf(id) {
    if (id === this.me.id) return this.me.username;
    return this.#names.get(id);
  }

  /** Members that were loaded for a list. */
  learn(users) {
    for (const { id, username } of users) this.#names.set(id, username);
    this.#changed();
  }

  // MARK: The open thread

  /** Opens thread `id`, or none (`null`), at message `seq` if given. */
  open(id, seq = null) {
    if (id !== this.openID) {
      this.#flushRead();
      this.typing.typed(this.openID, false);
      this.openID = id;
      this.threadError = null;
      this.loadError = null;
      this.isLoadingOlder = false;
      this.isLoadingNewer = false;
      this.#mark();
      const timeline = this.#timelines.get(id);
      if (timeline) {
        this.#timelines.delete(id);
        // From the end again, unless the end is far away.
        if (!timeline.isDetached) this.#timelines.set(id, timelines.trimmed(timeline, PAGE * 2));
      }
      for (const key of [...this.#timelines.keys()].slice(0, -KEPT_THREADS)) this.#timelines.delete(key);
      this.#watch();
    }
    if (id && seq !== null) this.jump(seq);
    else if (id) this.#sync(id);
    this.#changed();
  }

  #mark() {
    const thread = this.openThread;
    this.dividerSeq = thread?.unread > 0 ? thread.readSeq : null;
  }

  /** Loads the rows around `seq` and makes it the target. */
  async jump(seq) {
    const id = this.openID;
    const { isLoaded, from, to } = this.timeline;
    if (!isLoaded || seq < from || seq > to) {
      const after = Math.max(0, seq - PAGE / 2);
      try {
        const bounds = { after, before: after + PAGE };
        const page = await this.#history(id, bounds, PAGE);
        this.#timelines.set(id, this.#detached(timelines.fromPage(page, bounds), page.head_seq));
      } catch (error) {
        this.#failed(id, error);
      }
    }
    if (id !== this.openID) return;
    this.target = seq;
    this.#changed();
  }

  #detached(timeline, head) {
    return { ...timeline, isDetached: timeline.to < head };
  }

  /** Back to the newest message. */
  toNewest() {
    if (this.isAtHead) return;
    this.#timelines.delete(this.openID);
    this.#sync(this.openID);
    this.#changed();
  }

  /** Brings a thread up to date: from this device, then from the server. */
  async #sync(id) {
    if (this.#syncing.has(id) || !this.#hub) return;
    this.#syncing.add(id);
    try {
      if (!this.#timelines.has(id)) {
        const kept = await this.#cache.timeline(id);
        if (kept && !this.#timelines.has(id)) this.#timelines.set(id, kept);
        this.#changed();
      }
      while (!this.#isOver && this.connection.state === 'open' && await this.#step(id)) this.#changed();
      if (id === this.openID && this.#timelines.has(id)) this.threadError = null;
    } catch (error) {
      this.#failed(id, error);
    } finally {
      this.#syncing.delete(id);
    }
    this.#changed();
  }

  /** One page of what is missing; whether there may be more. */
  async #step(id) {
    const timeline = this.#timelines.get(id);
    const thread = this.roster.get(id);
    const isFar = thread && timeline && (thread.seq - timeline.to > CATCH_UP);
    const isOther = thread?.seq > 0 && timeline?.epoch && timeline.epoch !== thread.epoch;
    if (timeline?.isDetached) return false;
    if (!timeline || isFar || isOther) {
      const page = await this.#history(id, {}, FIRST_PAGE);
      this.#timelines.set(id, timelines.fromPage(page));
      return false;
    }
    if (!thread || timeline.to >= thread.seq) return false;
    const bounds = { after: timeline.to };
    const page = await this.#history(id, bounds, PAGE);
    // Live events may have filled the gap meanwhile.
    const present = this.#timelines.get(id) ?? timeline;
    this.#timelines.set(id, timelines.withNewer(present, page, bounds));
    return this.#timelines.get(id).to > timeline.to;
  }

  #failed(id, error) {
    if (id !== this.openID || error.isRetryable) return;
    this.threadError = error.message;
    this.#timelines.delete(id);
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
    this.#changed();
  }

  async loadNewer() {
    const timeline = this.timeline;
    if (this.isAtHead || this.isLoadingNewer) return;
    this.isLoadingNewer = true;
    const bounds = { after: timeline.to };
    await this.#load(bounds, (present, page) => this.#detached(timelines.withNewer(present, page, bounds), page.head_seq));
    this.isLoadingNewer = false;
    if (this.openID) this.#sync(this.openID);
    this.#changed();
  }

  async #load(bounds, apply) {
    const id = this.openID;
    this.loadError = null;
    this.#changed();
    try {
      const page = await this.#history(id, bounds, PAGE);
      const present = this.#timelines.get(id);
      if (present) this.#timelines.set(id, apply(present, page));
    } catch (error) {
      if (id === this.openID) this.loadError = error;
    }
  }

  async #history(id, bounds, limit) {
    const page = await this.#hub.request({ do: 'history', id, bounds, limit });
    page.events.forEach((event) => this.#names.learn(event));
    return page;
  }

  // MARK: Actions

  /** Sends to the open thread; `false` if too many messages wait already. */
  send(text, { replyTo, parts } = {}) {
    return this.#enqueue({ id: uuidV7(), op: 'message', thread: this.openID, text, replyTo, parts });
  }

  edit(message, text) {
    this.#change({ op: 'edit', messageID: message.id, text });
  }

  remove(message) {
    this.#change({ op: 'delete', messageID: message.id });
  }

  react(message, emoji, on) {
    this.#change({ op: 'react', messageID: message.id, emoji, on });
  }

  #change(entry) {
    this.#enqueue({ id: uuidV7(), thread: this.openID, ...entry });
  }

  #enqueue(content) {
    const at = Date.now();
    this.#order = Math.max(this.#order + 1, at * 1000);
    const entry = { ...content, at, order: this.#order, state: 'waiting' };
    const outbox = outboxes.withEntry(this.outbox, entry);
    if (!outbox) return false;
    this.outbox = outbox;
    this.#handOver(entry);
    this.#changed();
    return true;
  }

  /** Kept on this device first: the leading tab may be closed before it has it. */
  async #handOver(entry) {
    await this.#database.transact(['outbox'], 'readwrite', (store) => store('outbox').put(entry));
    for (let count = 0; count < HANDOVERS && !this.#isOver; count += 1) {
      try {
        await this.#hub.request({ do: 'enqueue', entry });
        return;
      } catch {
        // The next leader is asked; it also reads what is kept.
      }
    }
  }

  retry(id) {
    this.#ask({ do: 'retry', id });
  }

  discard(id) {
    this.#ask({ do: 'discard', id });
  }

  #ask(body) {
    return this.#hub?.request(body).catch(() => {});
  }

  #command(command) {
    return this.#hub.request({ do: 'command', command });
  }

  async leave(id) {
    await this.#command({ leave: { id } });
  }

  /** The newest message of the open thread is visible: marks the thread as read on all devices. */
  markSeen() {
    const thread = this.openThread;
    if (!thread?.unread || !this.isAtHead || !this.timeline.isLoaded || document.visibilityState !== 'visible') return;
    if (this.timeline.to < thread.seq) return;
    this.roster.apply({ type: 'read', thread_id: thread.id, user_id: this.me.id, read_seq: thread.seq });
    this.#readTimer ??= setTimeout(() => this.#flushRead(), READ_DELAY);
    this.#changed();
  }

  #flushRead() {
    if (this.#readTimer === null) return;
    clearTimeout(this.#readTimer);
    this.#readTimer = null;
    const thread = this.openThread;
    if (thread) this.#enqueue({ id: `read:${thread.id}`, op: 'read', thread: thread.id, seq: thread.readSeq });
  }

  visibilityChanged() {
    if (document.visibilityState !== 'visible') {
      this.#flushRead();
      return;
    }
    this.#mark();
    this.wake();
    this.#changed();
  }

  /** The network or the user is back: connects at once if waiting to. */
  wake() {
    this.#ask({ do: 'wake' });
  }

  reconnect() {
    this.#ask({ do: 'reconnect' });
  }

  refresh() {
    return this.#ask({ do: 'refresh' });
  }

  /** Presence of the other users of direct threads, the open one first. */
  #watch() {
    const direct = this.threads.filter((thread) => thread.kind === 'direct').map((thread) => thread.id);
    const open = direct.filter((id) => id === this.openID);
    const users = [...new Set([...open, ...direct].map((id) => otherUser(id, this.me.id)).filter(Boolean))].slice(0, 200);
    if (users.join() === this.#watched || !this.isReady) return;
    this.#watched = users.join();
    this.#ask({ do: 'watch', users });
  }

  /** Notifies the listener once, however many changes there are in this turn. */
  #changed() {
    if (this.#isChanged || this.#isOver) return;
    this.#isChanged = true;
    queueMicrotask(() => {
      this.#isChanged = false;
      if (!this.#isOver) this.#listener.onChange();
    });
  }
}
