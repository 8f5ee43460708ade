// The live connection: one socket at a time, opened again whenever the close code allows it.
import { closeRule, waitBefore } from './policy.js';

/** How long a socket may take to open, in milliseconds. */
const OPENING = 10_000;

/** A connection that lived this long has proved that the server is well; the back-off starts over. */
const PROOF = 5_000;

/**
 * Keeps a WebSocket open. `state` is `off`, `connecting` (also while waiting to try again), `open`, or `stopped` when
 * the server said not to come back.
 */
export class LiveConnection {
  #url;
  #handlers;
  #socket = null;
  #timer = null;
  #attempt = 0;
  state = 'off';
  /** Why the server said not to come back, in words. */
  stopReason = '';
  /** Counts the sockets that were open, so that one can tell whether it is still the same one. */
  generation = 0;
  /** When the socket opened, in milliseconds of `performance.now()`. */
  openedAt = 0;

  /**
   * @param handlers `onState()`, `onFrame(object)`, `onSignedOut()`, and `probe()`, which asks the server over HTTP
   *   whether the session is good (a browser does not tell why a socket was refused): it resolves to
   *   `{isSignedOut, retryAfter}`
   */
  constructor(url, handlers) {
    this.#url = url;
    this.#handlers = handlers;
  }

  start() {
    this.#attempt = 0;
    this.#open();
  }

  stop() {
    this.#drop();
    this.#set('off');
  }

  /** Opens a new socket in place of one that is thought dead. */
  restart() {
    if (this.state !== 'open') return;
    this.#drop();
    this.#open();
  }

  /** Does not wait any longer: the network came back, or the user did. */
  wake() {
    if (this.state === 'connecting' && this.#timer !== null) this.#open();
  }

  /** @returns whether the frame was handed to an open socket */
  send(frame) {
    if (this.state !== 'open') return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #set(state) {
    if (state === this.state) return;
    this.state = state;
    this.#handlers.onState();
  }

  #drop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #open() {
    this.#drop();
    this.#set('connecting');
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    let isOpen = false;
    const opening = setTimeout(() => socket.close(), OPENING);
    socket.onopen = () => {
      clearTimeout(opening);
      if (socket !== this.#socket) return;
      isOpen = true;
      this.generation += 1;
      this.openedAt = performance.now();
      this.#set('open');
    };
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#receive(data);
    };
    socket.onclose = ({ code, reason }) => {
      clearTimeout(opening);
      if (socket !== this.#socket) return;
      this.#socket = null;
      if (isOpen && performance.now() - this.openedAt > PROOF) this.#attempt = 0;
      this.#closed(isOpen ? closeRule(code) : 'refused', code, reason);
    };
  }

  #receive(data) {
    let frame;
    try {
      frame = JSON.parse(data);
    } catch {
      return;
    }
    this.#handlers.onFrame(frame);
  }

  async #closed(rule, code, reason) {
    if (rule === 'signedOut') {
      this.#set('off');
      this.#handlers.onSignedOut();
      return;
    }
    if (rule === 'stop') {
      this.stopReason = reason || `The server closed the connection (${code}).`;
      this.#set('stopped');
      return;
    }
    this.#set('connecting');
    let least = 0;
    if (rule === 'refused' || rule === 'renew') {
      const { isSignedOut, retryAfter } = await this.#handlers.probe();
      // While the answer was on its way, the connection may have been stopped or opened again.
      if (this.state !== 'connecting' || this.#socket || this.#timer !== null) return;
      if (isSignedOut) {
        this.#set('off');
        this.#handlers.onSignedOut();
        return;
      }
      least = retryAfter;
    }
    const wait = least + waitBefore(this.#attempt, rule === 'refused' ? 'backOff' : rule, Math.random());
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.#open(), wait);
  }
}
