// The entry of the package @parley/client: a chat client for pages, workers and Node, without texts and without globals.
import { Collection } from './collection.js';
import { Conversations } from './conversations.js';
import { Device } from './device.js';
import { Entrances } from './entrances.js';
import { Mutes } from './mutes.js';
import { hindrance, slowWait } from './room.js';
import { Outgoing } from './outgoing.js';
import { APIError, query, Rest } from './rest.js';
import { Roster } from './roster.js';
import { Session } from './session.js';
import { CommandError } from './socket.js';
import { Typing } from './typing.js';
import { BINARY } from './uploads.js';

export { APIError, CommandError };

/** The maximum number of members to load. */
const MAX_MEMBERS = 1_000;

/** @param options see `ClientOptions` in index.d.ts */
export const createClient = (options) => new Client(options);

class Client {
  #options;
  #session;
  #device;
  #outgoing;
  #typing = null;
  #roster = new Roster('');
  #mutes;
  #views = new Set();
  #viewHost;
  #listeners = new Map();
  #waiting = new Map();
  #watched = null;
  #isOver = false;
  #isPlanned = false;
  #isReplaying = false;
  #presence = new Map();
  #connection = { state: 'connecting', reason: '' };
  limits;
  me;
  isLoaded = false;

  constructor(options) {
    this.#options = options;
    this.me = options.user ?? null;
    this.#session = new Session(options);
    this.rest = new Rest({ base: this.#session.base, fetch: options.fetch, authorization: () => this.#session.authorization() });
    this.#session.rest = this.rest;
    this.entrances = new Entrances(this.rest, (thread) => this.#listed(thread));
    const client = this;
    this.#outgoing = new Outgoing({
      transact: (...parameters) => this.#device.transact(...parameters),
      request: (body) => this.#request(body),
      changed: () => {
        this.#settleSends();
        this.#changed();
      },
      get isOver() { return client.#isOver; },
    });
    this.#viewHost = {
      kept: (id) => this.#device.kept(id),
      history: (id, bounds, limit) => this.#request({ do: 'history', id, bounds, limit }),
      head: (id) => this.#roster.get(id),
      changed: () => this.#changed(),
      pending: (id, rows) => this.#outgoing.pending(id, rows),
      changes: (id) => this.#outgoing.changes(id),
      noted: (...mark) => this.#noted(...mark),
      read: (id, seq) => this.#outgoing.add({ id: `read:${id}`, op: 'read', thread: id, seq }),
      closed: (conversations) => this.#views.delete(conversations),
      get me() { return client.me; },
      get isConnected() { return client.state === 'open'; },
      get isOver() { return client.#isOver; },
    };
    this.#mutes = new Mutes({ get roster() { return client.#roster; }, changed: () => this.#changed() });
    const first = new Promise((resolve) => { this.#waiting.set('first', { resolve, reject: resolve }); });
    this.#device = new Device(options, {
      me: () => this.#identify(), received: (message) => this.#received(message), connection: () => this.#connectionHost,
    });
    this.ready = this.#device.opened.then(() => first).then(() => {
      if (this.#isOver) throw new CommandError({ code: 'closed' });
      return this;
    });
    // The caller may only listen to `error`.
    this.ready.catch((error) => { if (!this.#isOver) this.#emit('error', error); });
  }

  /** The user, by the server unless the caller has told. */
  async #identify() {
    for (let attempt = 0; !this.me; attempt += 1) {
      try {
        this.me = await this.#session.me();
      } catch (error) {
        if (!error.isRetryable || this.#isOver) throw error;
        await this.#session.pause(attempt, error.retryAfter);
      }
    }
    this.#typing = new Typing(this.me.id, () => this.#changed(), (command) => this.command(command).catch(() => {}));
    this.#roster = new Roster(this.me.id);
    return this.me;
  }

  get #connectionHost() {
    const session = this.#session;
    return {
      url: session.socketURL, rest: this.rest, WebSocket: this.#options.WebSocket,
      ticket: session.needsTicket ? () => session.ticket() : undefined, renew: () => session.renew(),
    };
  }

  #request(body) { return this.#device.request(body); }

  // MARK: Messages of the engine

  #received(message) {
    if (this.#isOver) return;
    if (message.snapshot) this.#restored(message.snapshot);
    else if (message.frame) this.#frame(message.frame);
    else if (message.listed) this.#roster.listed(message.listed);
    else if (message.count) this.#roster.counted(message.count);
    else if (message.outbox) this.#outboxChanged(message.outbox);
    else if (message.discarded) this.#settle(message.discarded, new CommandError({ code: 'discarded' }));
    else if (message.progress) this.#outgoing.progress.set(message.progress.id, message.progress);
    else if ('limits' in message) this.limits = message.limits;
    else if (message.presence) this.#presence = new Map(message.presence.map((each) => [each.user_id, each]));
    else if (message.refused) this.#emit('error', new CommandError(message.refused));
    else if (message.signedOut) this.#emit('signedOut');
    else if (message.connection) this.#connected(message.connection);
    this.#mutes.received(message);
    this.#changed();
  }

  #restored({ threads, outbox, connection, presence, limits, blocks }) {
    this.#roster = new Roster(this.me.id, threads, blocks);
    this.#outboxChanged(outbox);
    if (limits !== undefined) this.limits = limits;
    this.#presence = new Map(presence.map((each) => [each.user_id, each]));
    this.isLoaded = true;
    this.#emit('loaded');
    this.#connected(connection);
    // Another leading tab does not know what this one watches.
    if (this.#watched) this.watch(this.#watched).catch(() => {});
  }

  #connected(connection) {
    const isNew = connection.state !== this.#connection.state;
    this.#connection = connection;
    if (connection.state === 'open' || connection.state === 'stopped') this.#settle('first');
    for (const each of this.#views) each.connected();
    if (isNew) this.#emit('state', connection.state);
  }

  #frame(frame) {
    this.#roster.apply(frame);
    this.#roster.unsure.clear();
    if (frame.type === 'hello' || frame.type === 'resumed') this.#isReplaying = frame.type === 'hello';
    if (frame.type === 'presence') this.#presence.set(frame.user_id, frame);
    else if (frame.type === 'user') this.#emit('user', frame.user);
    else if (frame.type === 'entrances') this.#emit('entrances', frame);
    else if (frame.type === 'typing') this.#typing.received(frame);
    else for (const each of this.#views) each.frame(frame);
    if (frame.type !== 'message') return;
    const { sender_id: sender } = frame;
    this.#typing.ended(frame.thread_id, sender);
    this.#emit('message', frame);
    if (!this.#isReplaying && sender !== this.me.id && !this.blocks.has(sender)) this.#emit('live', frame);
  }

  /** Shows a read mark of the user before the server has confirmed it. */
  #noted(id, seq, unread) {
    if (unread > 0) this.#roster.counted({ id, unread, readSeq: seq });
    else this.#roster.apply({ type: 'read', thread_id: id, user_id: this.me.id, read_seq: seq });
    this.#changed();
  }

  #outboxChanged(outbox) {
    this.#outgoing.replaced(outbox);
    this.#settleSends();
  }

  /** Settles the promises of sends that are stored or refused. */
  #settleSends() {
    const present = new Map(this.#outgoing.outbox.map((entry) => [entry.id, entry]));
    for (const id of [...this.#waiting.keys()]) {
      const entry = present.get(id);
      if (id === 'first' || (entry && entry.state !== 'failed')) continue;
      this.#settle(id, entry && new CommandError({ code: entry.code ?? 'refused', message: entry.error }));
    }
  }

  #settle(id, error) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (error) reject?.(error);
    else resolve?.(id);
  }

  // MARK: State

  get state() { return this.#connection.state; }

  /** The reason for which the connection is stopped, in the words of the server. */
  get reason() { return this.#connection.reason; }

  get suspension() { return this.#connection.suspension ?? null; }

  /** Whether this tab has the connection. */
  get isLeader() { return this.#device.isLeader; }

  /** The user's unconfirmed actions, see outbox.js. */
  get outbox() { return this.#outgoing.outbox; }

  get threads() { return this.#roster.list; }

  thread(id) { return this.#roster.get(id) ?? null; }

  /** The IDs of the users that the user blocks. Show their messages folded. */
  get blocks() { return this.#roster.blocks; }

  /** Blocks a user: no direct messages and no additions to rooms either way, typing and presence hidden. */
  block(userID) { return this.rest.call('PUT', `/v1/me/blocks/${encodeURIComponent(`id:${userID}`)}`, {}); }

  unblock(userID) { return this.rest.call('DELETE', `/v1/me/blocks/${encodeURIComponent(`id:${userID}`)}`); }

  /** The reason that the user may not write: `archived`, `blocked`, `moderators`, or `null`. A mute and `read_only` are told apart. */
  hindrance(threadID) { return hindrance(this.#roster.get(threadID)); }

  /** The milliseconds until slow mode lets the user send again. Nothing is reported when they are over. */
  slowWait(threadID) { return slowWait(this.#roster.get(threadID), Date.now() + this.#mutes.offset); }

  presence(userID) { return this.#presence.get(userID) ?? null; }

  typing(threadID) { return this.#typing?.users(threadID) ?? []; }

  progress(messageID) { return this.#outgoing.progress.get(messageID) ?? null; }

  /** A file of an unsent message, if this device has stored it. */
  async file(messageID, index) {
    return (await this.#device.transact(['files'], 'readonly', (store) => store('files').get([messageID, index])))?.blob ?? null;
  }

  /**
   * Calls `listener` on `change`, `loaded`, `state`, `message`, `live`, `user`, `entrances`, `error` or `signedOut`.
   * @returns a function that ends this
   */
  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  #emit(event, value) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(value);
  }

  /** Notifies listeners once for all changes of this turn. */
  #changed() {
    if (this.#isPlanned || this.#isOver) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      if (this.#isOver) return;
      for (const each of this.#views) each.onChange();
      this.#emit('change');
    });
  }

  // MARK: Actions

  /** The conversations of a view that shows one at a time. */
  conversations() {
    const conversations = new Conversations(this.#viewHost);
    this.#views.add(conversations);
    return conversations;
  }

  /** A live collection of the messages of a thread. */
  messages(threadID) {
    const conversations = this.conversations();
    const collection = new Collection(threadID, this, conversations);
    this.#device.opened.then(() => conversations.connected(), () => {});
    return collection;
  }

  /** Sends a message. @returns `{id, stored}`; `stored` resolves when the message is in the server's database */
  send(threadID, text, { files = [], ...content } = {}) {
    const prepared = files.map((file) => {
      const { name = 'file', type, width, height, blob = file } = file;
      return { name, type: type || BINARY, size: blob.size, width, height, blob };
    });
    const id = this.#outgoing.send(threadID, text, { ...content, files: prepared });
    if (!id) throw new CommandError({ code: 'outbox_full' });
    const stored = new Promise((resolve, reject) => { this.#waiting.set(id, { resolve, reject }); });
    // Callers who do not wait see the state of the message.
    stored.catch(() => {});
    return { id, stored };
  }

  edit(threadID, messageID, text) { this.#add({ op: 'edit', thread: threadID, messageID, text }); }

  remove(threadID, messageID) { this.#add({ op: 'delete', thread: threadID, messageID }); }

  react(threadID, messageID, emoji, on = true) { this.#add({ op: 'react', thread: threadID, messageID, emoji, on }); }

  /** Marks a thread as read up to `seq`, by default its end. */
  markRead(threadID, seq = this.thread(threadID)?.seq ?? 0) {
    this.#add({ id: `read:${threadID}`, op: 'read', thread: threadID, seq });
  }

  setTyping(threadID, on = true) { this.#typing?.typed(threadID, on); }

  #add(entry) {
    if (!this.#outgoing.add(entry)) throw new CommandError({ code: 'outbox_full' });
  }

  retry(id) { return this.#request({ do: 'retry', id }); }

  discard(id) { return this.#request({ do: 'discard', id }); }

  /** Joins the room with a title, or creates it. */
  async join(title) { return this.#listed(await this.rest.call('POST', '/v1/threads', { title })); }

  /** The direct thread with a user. */
  async direct(userID) { return this.#listed(await this.rest.call('POST', '/v1/direct', { user: `id:${userID}` })); }

  #listed(thread) {
    this.#roster.listed([thread]);
    this.#mutes.look();
    this.#changed();
    return this.thread(thread.id);
  }

  leave(threadID) { return this.command({ leave: { id: threadID } }); }

  watch(userIDs) {
    this.#watched = userIDs;
    return this.#request({ do: 'watch', users: userIDs });
  }

  /** Loads the members of a thread, and what they have read. */
  async members(threadID) {
    const [members, connection] = [[], this.#connection];
    let cursor;
    do {
      const page = await this.rest.call('GET', `/v1/threads/${encodeURIComponent(threadID)}/members?${query({ cursor, limit: 200 })}`);
      members.push(...page.members);
      cursor = page.next_cursor ?? undefined;
    } while (cursor && members.length < MAX_MEMBERS);
    // After an interruption the marks may be of a former numbering.
    if (connection !== this.#connection) return members;
    for (const { user, read_seq: seq, read_ms: ms } of members) {
      if (seq && user.id !== this.me.id) this.#roster.apply({ type: 'read', thread_id: threadID, user_id: user.id, read_seq: seq, date: ms && ms / 1000 });
    }
    this.#changed();
    return members;
  }

  /** Sends a command of the v1 protocol. Resolves to its answer; throws `CommandError`. */
  command(command) { return this.#request({ do: 'command', command }); }

  /** Connects immediately after a wait, because the network or the user has returned, and checks the leading tab. */
  wake() {
    this.#device.check();
    return this.#request({ do: 'wake' }).catch(() => {});
  }

  /** Connects again after the state `stopped`. */
  reconnect() { return this.#request({ do: 'reconnect' }).catch(() => {}); }

  /** Reads the list of threads again. */
  refresh() { return this.#request({ do: 'refresh' }).catch(() => {}); }

  /** Ends the connection. Unsent messages stay in the storage. */
  close() {
    this.#isOver = true;
    this.#session.stop();
    this.#typing?.stop();
    this.#mutes.stop();
    this.#device.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, new CommandError({ code: 'closed' }));
  }
}
