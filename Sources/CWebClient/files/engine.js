// The leading tab's part: the connection, the outbox, the list of threads, and what is kept on this device.
import * as api from './api.js';
import { Cache } from './cache.js';
import * as outboxes from './outbox.js';
import { pauseAfterRefusal, waitBefore } from './policy.js';
import { Roster } from './roster.js';
import { Connection } from './socket.js';
import { Uploads } from './uploads.js';
import { Watches } from './watches.js';

/** How often waiting entries are looked at again, in milliseconds. */
const TICK = 1_000;
/** How long the list of threads rests before it is kept, and questions to the server are collected. */
const REST = 400;

export class Engine {
  #me;
  #database;
  #cache;
  #roster;
  #emit;
  #onSignedOut;
  #connection;
  #outbox = [];
  #uploads;
  #watches = new Watches();
  #watched = '';
  #presence = new Map();
  #timers = new Set();
  #isOver = false;

  /**
   * @param emit sends a message to all tabs: `{frame}`, `{connection}`, `{outbox}`, `{listed}`, `{presence}`, `{limits}`
   *   or `{progress}`
   * @param onSignedOut called once when the session has ended
   */
  constructor(me, database, emit, onSignedOut) {
    this.#me = me;
    this.#database = database;
    this.#cache = new Cache(database);
    this.#roster = new Roster(me.id);
    this.#emit = emit;
    this.#onSignedOut = onSignedOut;
    this.#uploads = new Uploads(database, {
      onFile: (id, index, change) => this.#fileChanged(id, index, change), onProgress: (progress) => emit({ progress }),
    });
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.#connection = new Connection(`${scheme}://${location.host}/chat`, {
      onState: () => this.#connectionChanged(),
      onHello: (hello) => this.#hello(hello),
      onFrame: (frame) => this.#frame(frame),
      onSignedOut: () => this.#signedOut(),
      probe: () => this.#probe(),
    });
  }

  async start() {
    await this.#cache.load();
    const [threads, outbox] = await this.#database.transact(['threads', 'outbox'], 'readonly',
      (store) => Promise.all([store('threads').all(), store('outbox').all()]), [[], []]);
    if (this.#isOver) return;
    this.#roster = new Roster(this.#me.id, threads);
    // Entries that were made while no tab was ready to lead are in the database as well.
    const early = this.#outbox.filter((entry) => !outbox.some((each) => each.id === entry.id));
    this.#outbox = outboxes.restored([...outbox, ...early].sort((a, b) => a.order - b.order));
    this.#uploads.sweep();
    this.#emit({ snapshot: this.snapshot() });
    this.#connection.start();
    this.#every(TICK, () => this.#flush());
  }

  /** @param keepsCache whether events that are not kept yet are; another tab may have kept later ones */
  stop({ keepsCache = true } = {}) {
    this.#isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#connection.stop();
    this.#uploads.stop();
    if (keepsCache) this.#cache.flush();
    else this.#cache.abandon();
  }

  snapshot() {
    return {
      threads: this.#roster.list, outbox: this.#outbox, connection: this.#connectionState,
      presence: [...this.#presence.values()], limits: this.#uploads.limits,
    };
  }

  get #connectionState() {
    return { state: this.#connection.state, reason: this.#connection.stopReason };
  }

  // MARK: Requests of tabs

  async handle(request, tab) {
    switch (request.do) {
      case 'snapshot': return this.snapshot();
      case 'enqueue': return this.#enqueue(request.entry, request.blobs);
      case 'retry': return this.#changeOutbox(outboxes.withRetry(this.#outbox, request.id), request.id);
      case 'discard': return this.#discard(request.id);
      case 'history': return this.#history(request);
      case 'command': return this.#connection.command(request.command);
      case 'watch': return this.#watch(tab, request.users);
      case 'forget': return this.#cache.remove(request.id);
      case 'alive': return true;
      case 'wake': return this.#connection.wake();
      case 'reconnect': return this.#connection.start();
      case 'refresh': return this.#list();
      default: return undefined;
    }
  }

  #discard(id) {
    const entry = this.#outbox.find((each) => each.id === id);
    // Too late to take it back.
    if (!entry || entry.state === 'sending' || entry.state === 'accepted') return;
    this.#uploads.cancel(entry);
    this.#changeOutbox(outboxes.without(this.#outbox, id), id);
    this.#flush();
  }

  #enqueue(entry, blobs) {
    // A repeated request, whose answer was lost with the previous leader.
    if (this.#outbox.some((each) => each.id === entry.id && entry.op !== 'read')) return true;
    const outbox = outboxes.withEntry(this.#outbox, entry);
    if (!outbox) return false;
    if (entry.op === 'read') {
      this.#frame({ type: 'read', thread_id: entry.thread, user_id: this.#me.id, read_seq: entry.seq });
    }
    if (blobs) this.#uploads.hold(entry.id, blobs);
    this.#changeOutbox(outbox, entry.id);
    this.#flush();
    return true;
  }

  async #history({ id, bounds, limit }) {
    const changes = this.#cache.earlierChanges(id);
    const page = await this.#connection.command({ history: { id, ...bounds, limit } });
    this.#cache.page(id, page, bounds, changes);
    return page;
  }

  #watch(tab, users) {
    this.#watches.set(tab, users);
    this.#sendWatch();
  }

  #sendWatch() {
    const { users } = this.#watches;
    const list = users.join();
    if (list === this.#watched || this.#connection.state !== 'open') return;
    this.#watched = list;
    this.#connection.command({ watch: { users } }).catch(() => { this.#watched = ''; });
  }

  // MARK: The connection

  #connectionChanged() {
    if (this.#isOver) return;
    if (this.#connection.state === 'open') {
      this.#watched = '';
      this.#sendWatch();
      this.#list();
      this.#askLimits();
      this.#flush();
    } else {
      this.#outbox = outboxes.interrupted(this.#outbox);
      this.#presence.clear();
      this.#emit({ outbox: this.#outbox });
      this.#emit({ presence: [] });
    }
    this.#emit({ connection: this.#connectionState });
  }

  #hello(hello) {
    // The cookie may be another user's by now.
    if (hello.user.id !== this.#me.id) {
      this.#signedOut();
      return {};
    }
    const positions = this.#cache.positions;
    this.#frame(hello);
    const isMine = ([id]) => this.#roster.get(id);
    return Object.fromEntries([...positions].filter(isMine));
  }

  #frame(frame) {
    if (this.#isOver) return;
    this.#roster.apply(frame);
    if (frame.seq !== undefined) this.#cache.event(frame);
    if (frame.type === 'presence') this.#presence.set(frame.user_id, frame);
    if (frame.type === 'thread' && frame.op === 'removed') this.#cache.remove(frame.thread.id);
    if (frame.type === 'resumed') this.#resumed(frame);
    this.#emit({ frame });
    if (frame.type !== 'typing' && frame.type !== 'presence') this.#keepThreads();
    if (this.#roster.unsure.size > 0) this.#settleUnsure();
  }

  #resumed({ threads }) {
    for (const [id, { state }] of Object.entries(threads)) {
      if (state === 'unavailable') continue;
      if (state !== 'live' && state !== 'replayed') this.#cache.remove(id);
      // What was acknowledged may be void.
      if (state === 'rolled_back') {
        const isOf = (entry) => entry.thread === id && entry.state === 'accepted';
        this.#outbox = this.#outbox.map((entry) => (isOf(entry) ? { ...entry, state: 'waiting' } : entry));
      }
    }
  }

  #signedOut() {
    this.#connection.stop();
    this.#onSignedOut();
  }

  async #probe() {
    try {
      await api.me();
      return { isSignedOut: false, retryAfter: 0 };
    } catch (error) {
      return { isSignedOut: error.isSignedOut ?? false, retryAfter: error.retryAfter ?? 0 };
    }
  }

  async #askLimits() {
    try {
      this.#uploads.limits = await api.attachmentLimits();
      if (!this.#isOver) this.#emit({ limits: this.#uploads.limits });
    } catch {
      // Asked again with the next connection.
    }
  }

  // MARK: The list of threads

  /** Previews of the last messages, which `hello` does not have, and the threads beyond its 500. */
  async #list() {
    try {
      for (let cursor; ;) {
        const { threads, next_cursor: next } = await api.threads(cursor);
        if (this.#isOver) return;
        this.#roster.listed(threads);
        this.#emit({ listed: threads });
        if (!next) break;
        cursor = next;
      }
      this.#keepThreads();
    } catch {
      // Asked again with the next connection.
    }
  }

  #keepThreads() {
    this.#later('threads', REST * 2, () => {
      const threads = this.#roster.list;
      this.#database.transact(['threads'], 'readwrite', async (store) => {
        await store('threads').clear();
        for (const thread of threads) store('threads').put(thread);
      });
    });
  }

  #settleUnsure() {
    this.#later('unsure', REST, async () => {
      const ids = [...this.#roster.unsure];
      this.#roster.unsure.clear();
      for (const id of ids) {
        try {
          const thread = await api.thread(id);
          this.#roster.listed([thread]);
          this.#emit({ listed: [thread] });
        } catch {
          // The next `hello` has the count.
        }
      }
    });
  }

  // MARK: The outbox

  #changeOutbox(outbox, id) {
    this.#outbox = outbox;
    const entry = outbox.find((each) => each.id === id);
    if (entry) {
      this.#database.transact(['outbox'], 'readwrite', (store) => store('outbox').put(entry));
    } else {
      this.#uploads.forget(id);
      this.#database.transact(['outbox', 'files'], 'readwrite', (store) =>
        Promise.all([store('outbox').delete(id), store('files').delete(IDBKeyRange.bound([id, 0], [id, Infinity]))]));
    }
    this.#emit({ outbox });
  }

  #flush() {
    if (this.#connection.state !== 'open') return;
    for (const entry of outboxes.due(this.#outbox, Date.now())) {
      if (!outboxes.needsUpload(entry)) this.#send(entry);
      else if (!this.#uploads.isBusy) this.#upload(entry);
    }
  }

  /** The message is sent when the server has its files. */
  async #upload({ id, attempts = 0 }) {
    const change = (fields) => {
      if (this.#isOver || !this.#outbox.some((each) => each.id === id)) return;
      this.#changeOutbox(outboxes.withChange(this.#outbox, id, fields), id);
    };
    change({ state: 'uploading' });
    try {
      await this.#uploads.upload(this.#outbox.find((each) => each.id === id));
      change({ state: 'waiting', attempts: 0 });
    } catch (error) {
      const wait = Math.max(error.retryAfter, waitBefore(attempts, 'back-off'));
      if (error.isRetryable) change({ state: 'waiting', attempts: attempts + 1, notBefore: Date.now() + wait });
      else change({ state: 'failed', error: error.message });
    }
    this.#flush();
  }

  #fileChanged(id, index, change) {
    if (!this.#isOver && this.#outbox.some((each) => each.id === id)) {
      this.#changeOutbox(outboxes.withFile(this.#outbox, id, index, change), id);
    }
  }

  async #send(entry) {
    const { id } = entry;
    this.#outbox = outboxes.withChange(this.#outbox, id, { state: 'sending' });
    this.#emit({ outbox: this.#outbox });
    const isMessage = entry.op === 'message';
    const done = () => {
      // A later mark of the same thread has the same id.
      const present = this.#outbox.find((each) => each.id === id);
      if (!present || present.at !== entry.at) return;
      this.#changeOutbox(outboxes.without(this.#outbox, id), id);
    };
    try {
      await this.#connection.command(outboxes.commandOf(entry), isMessage ? done : undefined);
      if (!isMessage) {
        done();
      } else if (this.#outbox.some((each) => each.id === id)) {
        this.#changeOutbox(outboxes.withChange(this.#outbox, id, { state: 'accepted' }), id);
      }
    } catch (error) {
      this.#refused(entry, error);
    }
    this.#flush();
  }

  #refused({ id, op, at }, error) {
    const present = this.#outbox.find((each) => each.id === id);
    if (!present || present.at !== at) return;
    if (error.code === 'disconnected') return;
    if (error.isRetryable) {
      const change = { state: 'waiting', notBefore: Date.now() + pauseAfterRefusal(error.retryAfter) };
      this.#changeOutbox(outboxes.withChange(this.#outbox, id, change), id);
    } else if (op === 'message' && error.code === 'not_found' && present.files && !present.isRenewed) {
      this.#renew(present, error);
    } else if (op === 'message' && error.code === 'conflict') {
      // Only this entry has its id: a tab with a connection of its own has sent it, with files that it had declared itself.
      this.#changeOutbox(outboxes.without(this.#outbox, id), id);
    } else if (op === 'message') {
      this.#changeOutbox(outboxes.withChange(this.#outbox, id, { state: 'failed', error: error.message }), id);
    } else {
      this.#changeOutbox(outboxes.without(this.#outbox, id), id);
      if (op !== 'read') this.#emit({ refused: { op, message: error.message } });
    }
  }

  /** The server removes files that no message refers to after a day: they are uploaded once more. */
  async #renew({ id, files }, error) {
    const hasAll = await this.#uploads.hasAll({ files }).catch(() => true);
    const change = hasAll ? { state: 'failed', error: error.message } : {
      state: 'waiting', isRenewed: true, files: files.map((file) => ({ ...file, attachment: undefined, isComplete: false })),
    };
    this.#changeOutbox(outboxes.withChange(this.#outbox, id, change), id);
  }

  // MARK: Timers

  #pendingTimers = new Map();

  /** Runs `action` once, some time after the first of several calls. */
  #later(name, delay, action) {
    if (this.#pendingTimers.has(name) || this.#isOver) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#pendingTimers.delete(name);
      if (!this.#isOver) action();
    }, delay);
    this.#pendingTimers.set(name, timer);
    this.#timers.add(timer);
  }

  #every(interval, action) {
    this.#timers.add(setInterval(action, interval));
  }
}
