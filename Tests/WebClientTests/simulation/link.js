// A socket between a client and the simulated server: frames arrive in order, later, or not at all.

/** More frames than this on their way, and events are left out. */
const MOST_QUEUED = 12;

/** The server's side of a socket. */
export class Link {
  isOpen = true;
  /** Whether `resume`, another command, or a second without one has started the events. */
  hasBegun = false;
  /** For each room `{sent, epoch, isUnavailable, position, behindFrom}`. */
  rooms = new Map();
  /** The acks `stored` that are due, `{room, seq, ref}`. */
  acks = [];
  /** The credentials that it was opened with. */
  generation = 0;
  #scheduler;
  #socket;
  #drained;
  #queued = 0;
  #arrival = 0;

  /** @param drained called when a frame has arrived */
  constructor(scheduler, socket, drained) {
    this.#scheduler = scheduler;
    this.#socket = socket;
    this.#drained = drained;
  }

  get process() { return this.#socket.process; }

  get isFull() { return this.#queued >= MOST_QUEUED; }

  send(frame) {
    if (!this.isOpen) return;
    const text = JSON.stringify(frame);
    this.#queued += 1;
    this.#later(() => {
      this.#queued -= 1;
      if (this.#socket.isCut) return;
      this.#scheduler.note(this.process.name, '<', text);
      this.#socket.received(text);
      this.#scheduler.at(0, null, this.#drained);
    });
  }

  /** Something happens at the client after what is on its way. */
  #later(action) {
    const { now } = this.#scheduler;
    const delay = this.#scheduler.chance(2) ? this.#scheduler.random(3_000) : 1 + this.#scheduler.random(40);
    this.#arrival = Math.max(this.#arrival, now + delay);
    this.#scheduler.at(this.#arrival - now, this.#socket.process, action);
  }

  /** The server closes it. */
  close(code) {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#later(() => this.#socket.ended(code));
  }

  /** The network drops what is on its way. @param isSilent whether the client is not told */
  cut(isSilent = false) {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#socket.isCut = true;
    this.#scheduler.note(this.process.name, isSilent ? 'cut off' : 'disconnected');
    if (!isSilent) this.#scheduler.at(this.#scheduler.random(300), this.#socket.process, () => this.#socket.ended(1006));
  }
}

/** A class like the WebSocket of browsers. @param server has `opened(socket)` and `received(socket, text)` */
export const webSocketOf = (server, scheduler) => class {
  process = scheduler.current;
  link = null;
  isCut = false;
  #isClosed = false;
  #isDone = false;
  #arrival = 0;

  constructor(url, protocol) {
    Object.assign(this, { url, protocol });
    scheduler.at(1 + scheduler.random(80), null, () => { if (!this.#isClosed && !this.process.isDead) server.opened(this); });
  }

  send(text) {
    if (!this.link) throw new Error('InvalidStateError');
    if (this.#isClosed) return;
    this.#arrival = Math.max(this.#arrival, scheduler.now + 1 + scheduler.random(40));
    scheduler.at(this.#arrival - scheduler.now, null, () => {
      if (!this.link.isOpen) return;
      scheduler.note(this.process.name, '>', text);
      server.received(this, text);
    });
  }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    scheduler.at(scheduler.random(60), null, () => this.link?.cut(true));
    scheduler.at(scheduler.random(200), this.process, () => this.#end(1005));
  }

  received(text) { if (!this.#isClosed) this.onmessage({ data: text }); }

  ended(code) {
    this.#isClosed = true;
    this.#end(code);
  }

  #end(code) {
    if (this.#isDone) return;
    this.#isDone = true;
    this.onerror?.({});
    this.onclose({ code, reason: '' });
  }
};
