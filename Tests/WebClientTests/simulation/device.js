// A device: what its tabs share, and what is left when a tab dies. Locks, channels and the database of a browser.
import { FakeDatabase } from '../support/database.js';
import { Process } from './scheduler.js';

const isPlain = (value) => value !== null && typeof value === 'object' && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));

/** A copy of plain objects and lists. Files have no other state. */
export function cloned(value) {
  if (!isPlain(value)) return value;
  if (Array.isArray(value)) return value.map(cloned);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cloned(each)]));
}

export class Device {
  processes = [];
  /** The IDs of the entries that the database has had in its outbox. */
  kept = new Set();
  /** Whether there is no room for messages. */
  isFull = false;
  #scheduler;
  #stores = new FakeDatabase().stores;
  /** Transactions in their order; the first one that can run does. */
  #transactions = [];
  #isBusy = false;
  #locks = new Map();
  #channels = new Set();

  constructor(scheduler, name) {
    this.#scheduler = scheduler;
    this.name = name;
  }

  /** A new tab, or process of Node. */
  launch() {
    const process = new Process(`${this.name}.${this.processes.length + 1}`, this);
    this.processes.push(process);
    this.#scheduler.note(process.name, 'starts');
    return process;
  }

  get living() { return this.processes.filter(({ isDead }) => !isDead); }

  /** Ends a process without notice. */
  kill(process) {
    process.isDead = true;
    this.#scheduler.note(process.name, 'is dead');
    if (this.#transactions[0]?.process === process) this.#isBusy = false;
    this.#transactions = this.#transactions.filter((each) => each.process !== process);
    for (const channel of this.#channels) if (channel.process === process) this.#channels.delete(channel);
    for (const lock of this.#locks.values()) {
      lock.waiting = lock.waiting.filter((each) => each.process !== process);
      if (lock.holder?.process === process) lock.holder = null;
      this.#grant(lock);
    }
    this.#runNext();
  }

  // MARK: The database

  /** The storage of a client in the process that runs: IndexedDB, whose transactions take some time. */
  storage = {
    open: async () => {
      const process = this.#scheduler.current;
      return {
        isOpen: true, close: () => {},
        transact: (names, mode, body, fallback) => new Promise((resolve) => {
          this.#transactions.push({ process, names, mode, body, fallback, resolve });
          this.#runNext();
        }),
      };
    },
  };

  #runNext() {
    if (this.#isBusy) return;
    const index = this.#transactions.findIndex(({ process }) => process.asleepUntil <= this.#scheduler.now);
    if (index < 0) {
      // The first one to wake up continues.
      if (this.#transactions.length > 0) this.#scheduler.at(1_000, null, () => this.#runNext());
      return;
    }
    const [transaction] = this.#transactions.splice(index, 1);
    this.#transactions.unshift(transaction);
    this.#isBusy = true;
    this.#scheduler.at(this.#scheduler.random(4), transaction.process, () => this.#perform(transaction));
  }

  async #perform(transaction) {
    const { process, names, mode, body, fallback } = transaction;
    const copy = new FakeDatabase(cloned);
    copy.stores = { ...this.#stores };
    const isWritten = mode === 'readwrite';
    const fails = isWritten && names.includes('rows') && this.isFull;
    let value = fallback;
    if (!fails) {
      try {
        value = await copy.transact(names, mode, body, fallback);
      } catch (error) {
        this.#scheduler.failures.push(`${process.name}, a transaction: ${error.stack}`);
      }
    }
    const ended = () => {
      if (this.#transactions[0] !== transaction) return;
      this.#transactions.shift();
      this.#isBusy = false;
      if (isWritten && !fails) this.#commit(names, copy.stores);
      this.#scheduler.at(0, process, () => transaction.resolve(value));
      this.#runNext();
    };
    this.#scheduler.at(this.#scheduler.random(6), null, ended);
  }

  #commit(names, stores) {
    for (const name of names) this.#stores[name] = stores[name];
    for (const { id } of this.#stores.outbox) this.kept.add(id);
  }

  // MARK: Web Locks

  locks = {
    request: (name, { signal, steal = false }, action) => new Promise((resolve, reject) => {
      const lock = this.#locks.get(name) ?? { holder: null, waiting: [] };
      this.#locks.set(name, lock);
      const request = { process: this.#scheduler.current, action, resolve, reject };
      signal?.addEventListener('abort', () => {
        if (!lock.waiting.includes(request)) return;
        lock.waiting = lock.waiting.filter((each) => each !== request);
        reject(new DOMException('', 'AbortError'));
      });
      if (steal) {
        const former = lock.holder;
        lock.holder = null;
        lock.waiting.unshift(request);
        if (former) this.#scheduler.at(0, former.process, () => former.reject(new DOMException('', 'AbortError')));
      } else {
        lock.waiting.push(request);
      }
      this.#grant(lock);
    }),
  };

  #grant(lock) {
    if (lock.holder || lock.waiting.length === 0) return;
    const request = lock.waiting.shift();
    lock.holder = request;
    this.#scheduler.note(request.process.name, 'has the lock');
    const release = (settle) => (value) => {
      settle(value);
      if (lock.holder !== request) return;
      lock.holder = null;
      this.#grant(lock);
    };
    this.#scheduler.at(this.#scheduler.random(3), request.process, () => {
      Promise.resolve(request.action({})).then(release(request.resolve), release(request.reject));
    });
  }

  // MARK: BroadcastChannel

  channel(name) {
    const channels = this.#channels;
    const scheduler = this.#scheduler;
    const process = scheduler.current;
    const arrivals = new Map();
    const channel = {
      name, process, onmessage: null,
      postMessage(data) {
        for (const other of channels) {
          if (other === channel || other.name !== name) continue;
          const copy = cloned(data);
          const at = Math.max(arrivals.get(other) ?? 0, scheduler.now + scheduler.random(4));
          arrivals.set(other, at);
          scheduler.at(at - scheduler.now, other.process, () => { if (channels.has(other)) other.onmessage?.({ data: copy }); });
        }
      },
      close: () => channels.delete(channel),
    };
    channels.add(channel);
    return channel;
  }
}
