// One tab's view of the chat: threads, the open conversation, and the actions of the user. It asks the leading tab.
import * as api from './api.js';
import { Avatars } from './avatars.js';
import { Cache } from './cache.js';
import { Conversations } from './conversations.js';
import { Database } from './database.js';
import { Engine } from './engine.js';
import { Hub } from './hub.js';
import { Outgoing } from './outgoing.js';
import { otherUser, Roster } from './roster.js';
import { Typing } from './typing.js';

/** How long a read mark waits, so that one covers a burst of messages. */
const READ_DELAY = 300;

export class Chat {
  #listener;
  #hub;
  #database;
  #cache;
  #engine = null;
  #readTimer = null;
  #isChanged = false;
  #isOver = false;
  #isReplaying = false;
  #watched = '';

  roster;
  outgoing;
  avatars;
  presence = new Map();
  typing;
  connection = { state: 'connecting', reason: '' };
  isReady = false;
  /** What the server takes: `undefined` if it is not known yet, `null` for no files. */
  limits;
  conversations;
  /** Messages above this number were unread when the thread was opened. */
  dividerSeq = null;
  /**
   * @param me `{id, username}`
   * @param listener `onChange()`, once for all changes of one turn; `onLive(message)` for each message that has just
   *   been sent; `onRefused({op, message})`; `onSignedOut()`, once
   */
  constructor(me, listener) {
    this.me = me;
    this.#listener = listener;
    this.roster = new Roster(me.id);
    const chat = this;
    this.conversations = new Conversations({
      kept: async (id) => this.#cache?.timeline(id) ?? null,
      history: (id, bounds, limit) => this.#hub.request({ do: 'history', id, bounds, limit }),
      head: (id) => this.roster.get(id),
      changed: () => this.#changed(),
      get isConnected() { return chat.connection.state === 'open'; },
      get isOver() { return chat.#isOver; },
    });
    this.outgoing = new Outgoing({
      transact: (...parameters) => this.#database?.transact(...parameters),
      request: (body) => this.#hub.request(body),
      changed: () => this.#changed(),
      get isOver() { return chat.#isOver; },
    });
    this.avatars = new Avatars(api.user, () => this.#changed());
    this.typing = new Typing(me.id, () => this.#changed(), (command) => this.#command(command).catch(() => {}));
  }

  async start() {
    this.#database = await Database.open(this.me.id);
    if (this.#isOver) return;
    this.#cache = new Cache(this.#database);
    this.#hub = new Hub(`parley-${this.me.id}`, {
      onLead: () => this.#lead(),
      onRequest: async (body, tab) => this.#engine?.handle(body, tab),
      onMessage: (message) => this.#received(message),
      onLeader: () => this.#follow(),
      onDeposed: () => {
        // Its cache is older than what the new leader has.
        this.#engine?.stop({ keepsCache: false });
        this.#engine = null;
        this.#follow();
      },
    });
    this.#hub.start();
    if (!this.#hub.isLeader) this.#follow();
  }

  /** Closes everything; the object must not be used afterwards. */
  stop() {
    this.#isOver = true;
    this.outgoing.stop();
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
    else if (message.outbox) this.outgoing.replaced(message.outbox);
    else if (message.progress) this.outgoing.progress.set(message.progress.id, message.progress);
    else if ('limits' in message) this.limits = message.limits;
    else if (message.presence) this.presence = new Map(message.presence.map((each) => [each.user_id, each]));
    else if (message.refused) this.#listener.onRefused(message.refused);
    else if (message.signedOut) this.#listener.onSignedOut();
    else if (message.connection) this.#connected(message.connection);
    if (message.listed || message.snapshot) this.#watch();
    this.#changed();
  }

  #restored({ threads, outbox, connection, presence, limits }) {
    this.roster = new Roster(this.me.id, threads);
    this.outgoing.replaced(outbox);
    if (limits !== undefined) this.limits = limits;
    this.presence = new Map(presence.map((each) => [each.user_id, each]));
    this.isReady = true;
    this.#connected(connection);
    if (!this.openID) return;
    this.#mark();
    // Without a connection too: from this device.
    this.conversations.sync(this.openID);
  }

  #connected(connection) {
    const isNew = connection.state === 'open' && this.connection.state !== 'open';
    this.connection = connection;
    if (isNew) this.conversations.connected();
    if (this.openID) this.conversations.sync(this.openID);
  }

  #frame(frame) {
    this.roster.apply(frame);
    this.roster.unsure.clear();
    switch (frame.type) {
      case 'hello':
        this.#isReplaying = true;
        // What has come since this device was connected.
        if (this.dividerSeq === null) this.#mark();
        this.#watch();
        break;
      case 'resumed':
        this.#isReplaying = false;
        for (const [id, { state }] of Object.entries(frame.threads)) {
          if (!['live', 'replayed', 'unavailable'].includes(state)) this.conversations.forget(id);
        }
        break;
      case 'presence': this.presence.set(frame.user_id, frame); return;
      case 'typing': this.typing.received(frame); return;
      case 'thread':
        if (frame.op === 'removed') this.conversations.forget(frame.thread.id);
        this.#watch();
        break;
      default:
    }
    if (frame.seq !== undefined) this.#event(frame);
    // An event may show that others are missing; nothing happens if not, or if the thread has been left.
    if (this.openThread || (this.openID && !this.conversations.threadError)) this.conversations.sync(this.openID);
  }

  #event(event) {
    const id = event.thread_id;
    this.conversations.event(event);
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

  get openID() {
    return this.conversations.openID;
  }

  get timeline() {
    return this.conversations.timeline;
  }

  /** Whether the open conversation reaches the newest message. */
  get isAtHead() {
    return this.conversations.isAtHead;
  }

  get outbox() {
    return this.outgoing.outbox;
  }

  get pending() {
    return this.isAtHead ? this.outgoing.pending(this.openID, this.timeline.rows) : [];
  }

  /** The waiting edits, deletions and reactions of the open thread, by message. */
  get changes() {
    return this.outgoing.changes(this.openID);
  }

  /** The names of users seen in the open thread, recent senders first. */
  knownNames() {
    const { rows } = this.timeline;
    const senders = rows.slice(-500).reverse().map((row) => row.sender_name ?? row.username).filter(Boolean);
    return [...senders, ...this.conversations.names.values()];
  }

  /** The name of a user, if it was seen. */
  nameOf(id) {
    if (id === this.me.id) return this.me.username;
    return this.conversations.names.get(id);
  }

  /** Members that were loaded for a list. */
  learn(users) {
    for (const { id, username } of users) this.conversations.names.set(id, username);
    this.#changed();
  }

  // MARK: The open thread

  /** Opens thread `id`, or none (`null`), at message `seq` if given. */
  open(id, seq = null) {
    if (id !== this.openID) {
      this.#flushRead();
      this.typing.typed(this.openID, false);
      this.conversations.open(id);
      this.#mark();
      this.#watch();
    }
    if (id && seq !== null) this.conversations.jump(seq);
    else if (id) this.conversations.sync(id);
    this.#changed();
  }

  #mark() {
    const thread = this.openThread;
    this.dividerSeq = thread?.unread > 0 ? thread.readSeq : null;
  }

  // MARK: Actions

  /** Sends to the open thread; see `Outgoing.send`. */
  send(text, content = {}) {
    return this.outgoing.send(this.openID, text, content);
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
    this.outgoing.add({ thread: this.openID, ...entry });
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
    if (thread) this.outgoing.add({ id: `read:${thread.id}`, op: 'read', thread: thread.id, seq: thread.readSeq });
  }

  visibilityChanged() {
    if (document.visibilityState !== 'visible') {
      this.#flushRead();
      return;
    }
    this.#mark();
    this.#hub?.check();
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
