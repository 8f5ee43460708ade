// A database in memory, with the keys and ranges of IndexedDB that the web client uses.

const KEY_PATHS = { rows: ['thread_id', 'seq'], segments: 'id', threads: 'id', outbox: 'id', files: ['id', 'index'] };

const keyOf = (name, value) => [KEY_PATHS[name]].flat().map((field) => value[field]);

/** As IndexedDB: numbers before texts. */
function compared(one, other) {
  for (const [index, part] of one.entries()) {
    if (part === other[index]) continue;
    if (typeof part !== typeof other[index]) return typeof part === 'number' ? -1 : 1;
    return part < other[index] ? -1 : 1;
  }
  return 0;
}

export const IDBKeyRange = { bound: (lower, upper) => ({ lower, upper }) };

/** @param fails returns whether transactions that write fail, as on a device without room */
export class FakeDatabase {
  isOpen = true;
  stores = Object.fromEntries(Object.keys(KEY_PATHS).map((name) => [name, []]));
  fails = () => false;
  #clone;

  /** @param clone makes the copies of values that go in and out */
  constructor(clone = structuredClone) {
    this.#clone = clone;
  }

  async transact(names, mode, body, fallback) {
    await null;
    if (mode === 'readwrite' && this.fails()) return fallback;
    return body((name) => {
      if (!names.includes(name)) throw new Error(`${name} is not in the transaction`);
      return this.#store(name);
    });
  }

  #store(name) {
    const matches = (value, range) => {
      const key = keyOf(name, value);
      if (range === undefined) return true;
      if (range.lower) return compared(range.lower, key) <= 0 && compared(key, range.upper) <= 0;
      return compared(key, [range].flat()) === 0;
    };
    const change = (values) => { this.stores[name] = values.sort((one, other) => compared(keyOf(name, one), keyOf(name, other))); };
    return {
      get: async (key) => this.#clone(this.stores[name].find((value) => matches(value, key))),
      all: async (range) => this.#clone(this.stores[name].filter((value) => matches(value, range))),
      keys: async () => this.stores[name].map((value) => (typeof KEY_PATHS[name] === 'string' ? value[KEY_PATHS[name]] : keyOf(name, value))),
      put: async (value) => change([...this.stores[name].filter((each) => compared(keyOf(name, each), keyOf(name, value)) !== 0), this.#clone(value)]),
      delete: async (range) => change(this.stores[name].filter((value) => !matches(value, range))),
      clear: async () => change([]),
    };
  }
}
