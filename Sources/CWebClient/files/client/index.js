// The entry of the package @parley/client: a chat client for pages, workers and Node, without texts and without globals.
import { Collection } from './collection.js';
import { Engine } from './engine.js';
import { Entrances } from './entrances.js';
import { Hub } from './hub.js';
import { Mutes } from './mutes.js';
import { hindrance, slowWait } from './room.js';
import { Outgoing } from './outgoing.js';
import { APIError, Rest } from './rest.js';
import { Roster } from './roster.js';
import { Session } from './session.js';
import { CommandError } from './socket.js';
import { Typing } from './typing.js';

export { APIError, CommandError };

/** A client that stores nothing: its outbox and its positions last as long as the process. */
const NO_STORAGE = {
  open: async () => ({ isOpen: false, transact: async (names, mode, body, fallback) => fallback, close: () => {} }),
};

/** @param options see `ClientOptions` in index.d.ts */
export const createClient = (options) => new Client(options);

class Client {
  #options;
  #session;
  #database = null;
  #hub = null;
  #engine = null;
  #outgoing;
  #typing = null;
  #roster = new Roster('');
  #mutes;
  #collections = new Set();
  #listeners = new Map();
  #waiting = new Map();
  #isOver = false;
  #isPlanned = false;
  #presence = new Map();
  #connection = { state: 'connecting', reason: '' };
  limits;
  me = null;

  constructor(options) {
    this.#options = options;
    this.#session = new Session(options);
    this.rest = new Rest({ base: this.#session.base, fetch: options.fetch, authorization: () => this.#session.authorization() });
    this.#session.rest = this.rest;
    this.entrances = new Entrances(this.rest, (thread) => this.#listed(thread));
    const client = this;
    this.#outgoing = new Outgoing({
      transact: (...parameters) => this.#database.transact(...parameters),
      request: (body) => this.#request(body),
      changed: () => {
        this.#settleSends();
        this.#changed();
      },
      get isOver() { return client.#isOver; },
    });
    this.#mutes = new Mutes({ get roster() { return client.#roster; }, changed: () => this.#changed() });
    this.ready = this.#start();
    // The caller may only listen to `error`.
    this.ready.catch((error) => this.#emit('error', error));
  }

  async #start() {
    for (let attempt = 0; !this.me; attempt += 1) {
      try {
        this.me = await this.#session.me();
      } catch (error) {
        if (!error.isRetryable || this.#isOver) throw error;
        await this.#session.pause(attempt, error.retryAfter);
      }
    }
    this.#database = await (this.#options.storage ?? NO_STORAGE).open(this.me.id);
    if (this.#isOver) throw new CommandError({ code: 'closed' });
    this.#typing = new Typing(this.me.id, () => this.#changed(), (command) => this.command(command).catch(() => {}));
    this.#roster = new Roster(this.me.id);
    const first = new Promise((resolve) => { this.#waiting.set('first', { resolve, reject: resolve }); });
    if (this.#options.tabs) this.#share();
    else this.#lead((message) => this.#received(message));
    await first;
    if (this.#isOver) throw new CommandError({ code: 'closed' });
    return this;
  }

  /** Uses one connection for all tabs. */
  #share() {
    this.#hub = new Hub(`parley-client-${this.me.id}`, {
      onLead: () => this.#lead((message) => this.#hub.broadcast(message)),
      onRequest: async (body, tab) => this.#engine?.handle(body, tab),
      onMessage: (message) => this.#received(message),
      onLeader: () => this.#follow(),
      onDeposed: () => {
        this.#engine?.stop({ keepsCache: false });
        this.#engine = null;
        this.#follow();
      },
    });
    this.#hub.start();
    if (!this.#hub.isLeader) this.#follow();
  }

  #lead(send) {
    const emit = (message) => { if (!this.#isOver) send(message); };
    this.#engine = new Engine(this.me, this.#database, emit, () => emit({ signedOut: true }), {
      url: this.#session.socketURL, rest: this.rest, WebSocket: this.#options.WebSocket,
      ticket: this.#session.needsTicket ? () => this.#session.ticket() : undefined, renew: () => this.#session.renew(),
    });
    this.#engine.start();
  }

  async #follow() {
    try {
      this.#received({ snapshot: await this.#hub.request({ do: 'snapshot' }) });
    } catch {
      // The next leader announces itself.
    }
  }

  #request(body) {
    if (this.#hub) return this.#hub.request(body);
    return this.#engine ? this.#engine.handle(body, 'only') : Promise.reject(new CommandError({ code: 'disconnected', retryable: true }));
  }

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
    this.#connected(connection);
  }

  #connected(connection) {
    const isNew = connection.state !== this.#connection.state;
    this.#connection = connection;
    if (connection.state === 'open' || connection.state === 'stopped') this.#settle('first');
    for (const each of this.#collections) each.connected();
    if (isNew) this.#emit('state', connection.state);
  }

  #frame(frame) {
    this.#roster.apply(frame);
    this.#roster.unsure.clear();
    if (frame.type === 'presence') this.#presence.set(frame.user_id, frame);
    else if (frame.type === 'user') this.#emit('user', frame.user);
    else if (frame.type === 'entrances') this.#emit('entrances', frame);
    else if (frame.type === 'typing') this.#typing.received(frame);
    else for (const each of this.#collections) each.frame(frame);
    if (frame.type !== 'message') return;
    this.#typing.ended(frame.thread_id, frame.sender_id);
    this.#emit('message', frame);
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

  get suspension() { return this.#connection.suspension ?? null; }

  get threads() { return this.#roster.list; }

  thread(id) { return this.#roster.get(id) ?? null; }

  /** The IDs of the users that the user blocks. Show their messages folded. */
  get blocks() { return [...this.#roster.blocks]; }

  /** Blocks a user: no direct messages and no additions to rooms either way, typing and presence hidden. */
  block(userID) { return this.rest.call('PUT', `/v1/me/blocks/${encodeURIComponent(`id:${userID}`)}`, {}); }

  unblock(userID) { return this.rest.call('DELETE', `/v1/me/blocks/${encodeURIComponent(`id:${userID}`)}`); }

  /** The reason that the user may not write: `archived`, `blocked`, `moderators`, or `null`. A mute and `read_only` are told apart. */
  hindrance(threadID) { return hindrance(this.#roster.get(threadID)); }

  /** The milliseconds until slow mode lets the user send again. Nothing is reported when they are over. */
  slowWait(threadID) { return slowWait(this.#roster.get(threadID), Date.now() + this.#mutes.offset); }

  presence(userID) { return this.#presence.get(userID) ?? null; }

  typing(threadID) { return this.#typing?.names(threadID) ?? []; }

  progress(messageID) { return this.#outgoing.progress.get(messageID) ?? null; }

  /**
   * Calls `listener` on `change`, `state`, `message`, `user`, `entrances`, `error` or `signedOut`.
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
      for (const each of this.#collections) each.changed();
      this.#emit('change');
    });
  }

  // MARK: Actions

  /** A live collection of the messages of a thread. */
  messages(threadID) {
    const client = this;
    const collection = new Collection(threadID, {
      kept: async (id) => this.#engine?.kept(id) ?? null,
      history: (id, bounds, limit) => this.#request({ do: 'history', id, bounds, limit }),
      head: (id) => this.#roster.get(id),
      changed: () => this.#changed(),
      pending: (rows) => this.#outgoing.pending(threadID, rows),
      changes: () => this.#outgoing.changes(threadID),
      outbox: () => this.#outgoing.outbox,
      closed: () => this.#collections.delete(collection),
      get me() { return client.me; },
      get isConnected() { return client.state === 'open'; },
      get isOver() { return client.#isOver; },
    });
    this.#collections.add(collection);
    this.ready.then(() => collection.connected(), () => {});
    return collection;
  }

  /** Sends a message. @returns `{id, stored}`; `stored` resolves when the message is in the server's database */
  send(threadID, text, { files = [], ...content } = {}) {
    const prepared = files.map((file) => ({ name: file.name ?? 'file', type: file.type || 'application/octet-stream', size: file.size, blob: file }));
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

  watch(userIDs) { return this.#request({ do: 'watch', users: userIDs }); }

  /** Sends a command of the v1 protocol. Resolves to its answer; throws `CommandError`. */
  command(command) { return this.#request({ do: 'command', command }); }

  /** Connects immediately after a wait, because the network has returned. */
  wake() { return this.#request({ do: 'wake' }).catch(() => {}); }

  /** Ends the connection. Unsent messages stay in the storage. */
  close() {
    this.#isOver = true;
    this.#session.stop();
    this.#typing?.stop();
    this.#mutes.stop();
    this.#engine?.stop();
    this.#hub?.stop();
    this.#database?.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, new CommandError({ code: 'closed' }));
  }
}
