// IndexedDB with promises. Each user has a database. Without IndexedDB (private windows of some browsers) nothing is
// stored.

const VERSION = 2;
/** The timeout for opening the database, in milliseconds. The page waits for it. */
const TIMEOUT = 5_000;

/** The key paths of the stores. */
const STORES = {
  /** The events of cached threads. */
  rows: ['thread_id', 'seq'],
  /** The range of a thread's log that `rows` contains. */
  segments: 'id',
  /** The list of threads, as last received. */
  threads: 'id',
  /** The user's unconfirmed actions. */
  outbox: 'id',
  /** The files of messages in the outbox. */
  files: ['id', 'index'],
};

const nameOf = (userID) => `parley-${userID}`;

const finished = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Resolves to the opened database. Some browsers never answer. */
function inTime(request) {
  const timeout = new Promise((_, reject) => { setTimeout(reject, TIMEOUT); });
  // A database that is opened later would block its deletion.
  timeout.catch(() => { request.onsuccess = () => request.result.close(); });
  return Promise.race([finished(request), timeout]);
}

export class Database {
  #db;

  constructor(db) {
    this.#db = db;
  }

  static async open(userID) {
    try {
      const request = indexedDB.open(nameOf(userID), VERSION);
      request.onupgradeneeded = () => {
        const { result: db } = request;
        for (const [name, keyPath] of Object.entries(STORES)) {
          if (!db.objectStoreNames.contains(name)) db.createObjectStore(name, { keyPath });
        }
      };
      const db = await inTime(request);
      // Another tab deletes the database at the logout, or a newer page changes it.
      db.onversionchange = () => db.close();
      return new Database(db);
    } catch {
      return new Database(null);
    }
  }

  /** Whether data is stored. */
  get isOpen() {
    return this.#db !== null;
  }

  static async remove(userID) {
    try {
      await finished(indexedDB.deleteDatabase(nameOf(userID)));
    } catch {
      // The database does not exist.
    }
  }

  /** Removes received data. Unsent data stays for the next login. */
  static async removeRead(userID) {
    const database = await Database.open(userID);
    const names = ['rows', 'segments', 'threads'];
    await database.transact(names, 'readwrite', async (store) => { for (const name of names) store(name).clear(); });
    database.close();
  }

  close() {
    this.#db?.close();
  }

  /**
   * Runs `body(store)` in one transaction, and resolves when it is committed. `store(name)` has `get`, `all`, `keys`,
   * `put`, `delete` and `clear`. A failure only makes data unavailable later, so it resolves to `fallback`.
   */
  async transact(names, mode, body, fallback) {
    if (!this.#db) return fallback;
    try {
      const transaction = this.#db.transaction(names, mode);
      const committed = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onerror = () => reject(transaction.error);
        transaction.onabort = () => reject(transaction.error);
      });
      const result = body((name) => wrapped(transaction.objectStore(name)));
      const [value] = await Promise.all([result, committed]);
      return value;
    } catch {
      return fallback;
    }
  }
}

/** A range of keys `{lower, upper}`, inclusive, or a single key. */
const rangeOf = (range) => (range?.lower ? IDBKeyRange.bound(range.lower, range.upper) : range);

function wrapped(store) {
  return {
    get: (key) => finished(store.get(key)),
    all: (range) => finished(store.getAll(rangeOf(range))),
    keys: () => finished(store.getAllKeys()),
    put: (value) => finished(store.put(value)),
    delete: (key) => finished(store.delete(rangeOf(key))),
    clear: () => finished(store.clear()),
  };
}
