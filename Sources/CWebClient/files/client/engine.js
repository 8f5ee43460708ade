// The leading tab, or the only one: the connection, the outbox, the list of threads, and the stored data of this device.
import { Cache } from './cache.js';
import { Counts } from './counts.js';
import { Delivery } from './delivery.js';
import { ToldMutes } from './mutes.js';
import { Roster } from './roster.js';
import { CommandError, Connection } from './socket.js';
import { Watches } from './watches.js';

/** The interval of checks for waiting entries, in milliseconds. */
const TICK = 1_000;
/** The delay before the list of threads is stored, and before collected requests are sent. */
const DELAY = 400;

export class Engine {
  #me;
  #host;
  #database;
  #cache;
  #roster;
  #emit;
  #onSignedOut;
  #connection;
  #delivery;
  #watches = new Watches();
  #watched = '';
  #presence = new Map();
  #mutes = new ToldMutes();
  /** The server's clock minus that of the device, in milliseconds, if known. */
  #offset;
  #limits;
  #counts;
  #timers = new Set();
  #isOver = false;
  #loaded;
  /** Resolves when the stored data is loaded. Before that, the outbox would look as if everything was sent. */
  #isLoaded = new Promise((resolve) => { this.#loaded = resolve; });

  /**
   * @param emit sends a message to all tabs: `{frame}`, `{connection}`, `{outbox}`, `{listed}`, `{presence}`,
   * `{limits}`, `{offset}` or `{progress}`
   * @param onSignedOut called once at the end of the session
   * @param host `url` of the socket; `rest`; optionally `WebSocket`, the class; `ticket()`, which resolves to a ticket
   * for the next socket; `renew()`, which replaces expired credentials
   */
  constructor(me, database, emit, onSignedOut, host) {
    this.#host = host;
    this.#me = me;
    this.#database = database;
    this.#cache = new Cache(database);
    this.#roster = new Roster(me.id);
    this.#emit = emit;
    this.#onSignedOut = onSignedOut;
    const engine = this;
    this.#delivery = new Delivery({
      database, rest: host.rest, head: (id) => this.#roster.get(id),
      emit: (message) => { if (!this.#isOver) emit(message); },
      command: (...parameters) => this.#connection.command(...parameters),
      get isOpen() { return engine.#connection.state === 'open'; },
    });
    this.#counts = new Counts({
      thread: (id) => this.#thread(id), emit: (message) => { if (!this.#isOver) emit(message); },
      again: (id, delay, action) => this.#later(`count ${id}`, delay, () => { if (this.#connection.state === 'open') action(); }),
    });
    this.#connection = new Connection(host.url, {
      WebSocket: host.WebSocket, ticket: host.ticket,
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
    this.#delivery.restore(outbox);
    this.#loaded();
    this.#emit({ snapshot: this.snapshot() });
    this.#connection.start();
    this.#every(TICK, () => this.#delivery.flush());
  }

  /** @param keepsCache whether to store unwritten events; another tab may have stored later ones */
  stop({ keepsCache = true } = {}) {
    this.#isOver = true;
    this.#loaded();
    for (const timer of this.#timers) clearInterval(timer);
    this.#connection.stop();
    this.#delivery.stop();
    if (keepsCache) this.#cache.flush();
    else this.#cache.abandon();
  }

  snapshot() {
    return {
      threads: this.#roster.list, outbox: this.#delivery.outbox, connection: this.#connectionState,
      presence: [...this.#presence.values()], limits: this.#limits,
      offset: this.#offset, blocks: [...this.#roster.blocks],
    };
  }

  get #connectionState() {
    const { state, stopReason: reason, suspension } = this.#connection;
    return { state, reason, suspension };
  }

  /** The cached part of a thread as a timeline, or `null`. */
  kept(id) { return this.#cache.timeline(id); }

  // MARK: Requests of tabs

  async handle(request, tab) {
    await this.#isLoaded;
    if (this.#isOver) throw new CommandError({ code: 'disconnected', retryable: true });
    switch (request.do) {
      case 'snapshot': return this.snapshot();
      case 'enqueue': return this.#enqueue(request);
      case 'retry': return this.#delivery.retry(request.id);
      case 'discard': return this.#delivery.discard(request.id);
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

  async #enqueue(request) {
    const { entry } = request;
    const isTaken = await this.#delivery.enqueue(request);
    if (isTaken && entry.op === 'read') {
      this.#frame({ type: 'read', thread_id: entry.thread, user_id: this.#me.id, read_seq: entry.seq });
    }
    return isTaken;
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
      this.#delivery.flush();
    } else {
      this.#delivery.interrupted();
      this.#presence.clear();
      this.#emit({ presence: [] });
    }
    this.#emit({ connection: this.#connectionState });
  }

  #hello(hello) {
    // The cookie may belong to another user.
    if (hello.user.id !== this.#me.id) {
      this.#signedOut();
      return {};
    }
    const positions = this.#cache.positions;
    this.#delivery.dropOldMarks(hello.threads);
    if (Number.isFinite(hello.server_time)) {
      this.#offset = hello.server_time - Date.now();
      this.#emit({ offset: this.#offset });
    }
    this.#frame(hello);
    const isMine = ([id]) => this.#roster.get(id);
    return Object.fromEntries([...positions].filter(isMine));
  }

  #frame(frame) {
    if (this.#isOver) return;
    this.#roster.apply(frame);
    this.#mutes.frame(frame);
    if (frame.seq !== undefined) this.#cache.event(frame);
    if (frame.type === 'presence') this.#presence.set(frame.user_id, frame);
    if (frame.type === 'thread' && frame.op === 'removed') this.#cache.remove(frame.thread.id);
    if (frame.type === 'resumed') this.#resumed(frame);
    if (frame.type === 'joined' || frame.type === 'left') this.#retitle(frame.thread_id);
    this.#emit({ frame });
    if (!['typing', 'presence', 'user'].includes(frame.type)) this.#keepThreads();
    if (this.#roster.unsure.size > 0) this.#later('unsure', DELAY, () => this.#counts.settle(this.#roster));
    this.#delivery.settleChanges();
  }

  #resumed({ threads }) {
    for (const [id, { state, epoch }] of Object.entries(threads)) {
      if (state === 'unavailable') continue;
      if (state === 'live' || state === 'replayed') this.#cache.continued(id, epoch);
      else this.#cache.remove(id);
    }
    this.#delivery.resumed(threads);
  }

  #signedOut() {
    this.#connection.stop();
    this.#onSignedOut();
  }

  async #probe() {
    try {
      await this.#host.rest.me();
      return { isSignedOut: false, retryAfter: 0 };
    } catch (error) {
      const isSignedOut = error.isSignedOut === true && !await this.#host.renew?.();
      return { isSignedOut, retryAfter: error.retryAfter ?? 0, suspension: error.suspension };
    }
  }

  async #askLimits() {
    try {
      this.#limits = await this.#host.rest.attachmentLimits();
      if (!this.#isOver) this.#emit({ limits: this.#limits });
    } catch {
      // The next connection requests it again.
    }
  }

  // MARK: The list of threads

  /** Loads previews of the last messages, which `hello` does not contain, and the threads beyond its 500. */
  async #list() {
    try {
      for (let cursor; ;) {
        const told = this.#mutes.count;
        const { threads: answer, next_cursor: next } = await this.#host.rest.threads(cursor);
        if (this.#isOver) return;
        const threads = this.#mutes.upToDate(answer, told);
        this.#roster.listed(threads);
        this.#emit({ listed: threads });
        if (!next) break;
        cursor = next;
      }
      this.#keepThreads();
    } catch {
      // The next connection requests it again.
    }
  }

  /** Reloads a group after a change of its members, whose names may be its title. */
  #retitle(id) {
    if (this.#roster.get(id)?.kind !== 'group') return;
    this.#later(`title ${id}`, DELAY, async () => {
      try {
        const thread = await this.#thread(id);
        if (this.#isOver || !this.#roster.get(id)) return;
        this.#roster.listed([thread]);
        this.#emit({ listed: [thread] });
        this.#keepThreads();
      } catch {
        // The list of the next connection has the title.
      }
    });
  }

  async #thread(id) {
    const told = this.#mutes.count;
    const [thread] = this.#mutes.upToDate([await this.#host.rest.thread(id)], told);
    return thread;
  }

  #keepThreads() {
    this.#later('threads', DELAY * 2, () => {
      const threads = this.#roster.list;
      this.#database.transact(['threads'], 'readwrite', async (store) => {
        await store('threads').clear();
        for (const thread of threads) store('threads').put(thread);
      });
    });
  }

  // MARK: Timers

  #pendingTimers = new Map();

  /** Runs `action` once after the first of several calls. */
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
