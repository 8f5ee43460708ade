// A server behind a fake WebSocket. The clock is one that tests move: browsers have no other way to make a minute pass.

/** The sockets that a client has opened, newest last. */
export class FakeSockets {
  all = [];

  /** The class to put in place of `WebSocket`. @param onOpen called with each new socket */
  constructor(onOpen = () => {}) {
    const { all } = this;
    this.WebSocket = class {
      sent = [];
      isClosed = false;

      constructor(url, dialect) {
        Object.assign(this, { url, dialect });
        all.push(this);
        onOpen(this);
      }

      send(text) {
        const command = JSON.parse(text);
        this.sent.push(command);
        this.onCommand?.(command);
      }

      /** The client closes it, and hears of the end a moment later. */
      close() {
        if (this.isClosed) return;
        this.isClosed = true;
        queueMicrotask(() => this.onclose({ code: 1005, reason: '' }));
      }

      /** What the server sends. */
      receive(...frames) { for (const frame of frames) this.onmessage({ data: JSON.stringify(frame) }); }

      /** The server, or the network, closes the socket. */
      end(code, reason = '') {
        this.isClosed = true;
        this.onclose({ code, reason });
      }
    };
  }

  get last() {
    return this.all.at(-1);
  }
}

/** A hello for user `me`. */
export const hello = (fields) => ({ type: 'hello', user: { id: 'me' }, threads: [], ping_interval_ms: 25_000, ...fields });

/** Timers and clocks that stand still until `advance`. Install before what uses them. */
export class FakeClock {
  now = 1_000;
  #timers = new Map();
  #count = 0;

  /** @param replace `(name, value)`, which puts a global in place */
  constructor(replace) {
    const add = (action, delay = 0, every = null) => {
      this.#count += 1;
      this.#timers.set(this.#count, { at: this.now + delay, action, every });
      return this.#count;
    };
    const remove = (id) => this.#timers.delete(id);
    replace('setTimeout', (action, delay, ...values) => add(() => action(...values), delay));
    replace('setInterval', (action, every) => add(action, every, every));
    replace('clearTimeout', remove);
    replace('clearInterval', remove);
    replace('performance', { now: () => this.now });
  }

  /** Delays of the timers that are set, in order. */
  get delays() {
    return [...this.#timers.values()].filter(({ every }) => every === null).map(({ at }) => at - this.now).sort((a, b) => a - b);
  }

  /** Lets time pass, and lets promises go on after each timer. */
  async advance(milliseconds) {
    const end = this.now + milliseconds;
    for (;;) {
      const [id, timer] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (!timer) break;
      this.now = Math.max(this.now, timer.at);
      if (timer.every === null) this.#timers.delete(id);
      else timer.at += timer.every;
      timer.action();
      for (let turn = 0; turn < 50; turn += 1) await null;
    }
    this.now = end;
  }
}
