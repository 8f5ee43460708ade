// IndexedDB as promises. One database for each user; without IndexedDB (private windows of some browsers) nothing is kept.

const VERSION = 2;
/** How long a browser may take to open it, in milliseconds; the page waits. */
const PATIENCE = 5_000;

/** Key paths of the stores. */
const STORES = {
  /** The events of threads that are shown, one each. */
  rows: ['thread_id', 'seq'],
  /** Which part of a thread's log `rows` has. */
  segments: 'id',
  /** The list of threads as last seen. */
  threads: 'id',
  /** What the user did and the server has not confirmed. */
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

/** Resolves to the opened database; some browsers never answer. */
function inTime(request) {
  const timeout = new Promise((_, reject) => { setTimeout(reject, PATIENCE); });
  // One that is opened later would only be in the way of those who remove it.
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

  /** Whether anything is kept. */
  get isOpen() {
    return this.#db !== null;
  }

  static async remove(userID) {
    try {
      await finished(indexedDB.deleteDatabase(nameOf(userID)));
    } catch {
      // There is none.
    }
  }

  /** Removes what was received; what was not sent stays for the next login. */
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
   * Runs `body(store)` in one transaction, where `store(name)` has `get`, `all`, `keys`, `put`, `delete` and `clear`, and
   * resolves when it is committed. What cannot be kept is only missing later, so failures resolve to `fallback`.
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

function wrapped(store) {
  return {
    get: (key) => finished(store.get(key)),
    all: (range, limit) => finished(store.getAll(range, limit)),
    keys: () => finished(store.getAllKeys()),
    put: (value) => finished(store.put(value)),
    delete: (key) => finished(store.delete(key)),
    clear: () => finished(store.clear()),
  };
}
