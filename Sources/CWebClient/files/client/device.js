// The part of a client on its device: the storage of its user, and the connection, which may be that of another tab.
import { Cache } from './cache.js';
import { Engine } from './engine.js';
import { Hub } from './hub.js';
import { CommandError } from './socket.js';

/** A client that stores nothing: its outbox and its positions last as long as the process. */
const NO_STORAGE = {
  open: async () => ({ isOpen: false, transact: async (names, mode, body, fallback) => fallback, close: () => {} }),
};

export class Device {
  #host;
  #options;
  #database = null;
  #hub = null;
  #engine = null;
  #isOver = false;
  /** Resolves when requests can be made; rejects if the credentials are refused. */
  opened;

  /**
   * @param options of the client
   * @param host `me()` resolves to the user; `received(message)` of the leading tab; `connection()`, the host of `Engine`
   */
  constructor(options, host) {
    this.#options = options;
    this.#host = host;
    this.opened = this.#open();
  }

  async #open() {
    const me = await this.#host.me();
    this.#database = await (this.#options.storage ?? NO_STORAGE).open(me.id);
    if (this.#isOver) throw new CommandError({ code: 'closed' });
    if (this.#options.tabs) this.#share(me);
    else this.#lead(me, (message) => this.#received(message));
  }

  /** Uses one connection for all tabs. */
  #share(me) {
    this.#hub = new Hub(`parley-${me.id}`, {
      onLead: () => this.#lead(me, (message) => this.#hub.broadcast(message)),
      onRequest: async (body, tab) => this.#engine?.handle(body, tab),
      onMessage: (message) => this.#received(message),
      onLeader: () => this.#follow(),
      onDeposed: () => {
        // The new leader has a newer cache.
        this.#engine?.stop({ keepsCache: false });
        this.#engine = null;
        this.#follow();
      },
    });
    this.#hub.start();
    if (!this.#hub.isLeader) this.#follow();
  }

  #lead(me, send) {
    const emit = (message) => { if (!this.#isOver) send(message); };
    this.#engine = new Engine(me, this.#database, emit, () => emit({ signedOut: true }), this.#host.connection());
    this.#engine.start();
  }

  async #follow() {
    try {
      this.#received({ snapshot: await this.#hub.request({ do: 'snapshot' }) });
    } catch {
      // The next leader announces itself.
    }
  }

  #received(message) {
    if (!this.#isOver) this.#host.received(message);
  }

  /** Whether this tab has the connection. */
  get isLeader() { return this.#engine !== null; }

  /** Sends a request to the leading tab. Throws `CommandError`. */
  async request(body) {
    await this.opened;
    return this.#hub ? this.#hub.request(body) : this.#engine.handle(body, 'only');
  }

  /** Checks that the system has not suspended the leading tab. */
  check() { this.#hub?.check(); }

  /** See `Database`. */
  transact(names, mode, body, fallback) {
    return this.opened.then(() => this.#database.transact(names, mode, body, fallback), () => fallback);
  }

  /** The stored part of a thread as a timeline, or `null`. The leading tab may not have written all of it yet. */
  async kept(id) {
    await this.opened;
    return this.#engine ? this.#engine.kept(id) : new Cache(this.#database).timeline(id);
  }

  close() {
    this.#isOver = true;
    this.#engine?.stop();
    this.#hub?.stop();
    this.#database?.close();
  }
}
