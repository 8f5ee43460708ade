// The live connection: one socket at a time, reopened whenever the close code allows it.
import { closeRule, waitBefore } from './policy.js';

/** Maximum time for a socket to open, in milliseconds. */
const OPENING = 10_000;

/** A connection that lived this long shows that the server is healthy, and resets the back-off. */
const PROOF = 5_000;

/**
 * Keeps a WebSocket open. `state` is `off`, `connecting` (also while waiting for a retry), `open`, or `stopped` after a
 * close code that forbids reconnecting.
 */
export class LiveConnection {
  #url;
  #handlers;
  #socket = null;
  #timer = null;
  #attempt = 0;
  state = 'off';
  /** The reason of such a close code. */
  stopReason = '';
  /** Counts opened sockets, so that callers can detect a new one. */
  generation = 0;
  /** When the socket opened, in milliseconds of `performance.now()`. */
  openedAt = 0;

  /**
   * @param handlers `onState()`, `onFrame(object)`, `onSignedOut()`, and `probe()`, which checks the session over HTTP
   *   (a browser does not reveal why a socket was rejected): it resolves to `{isSignedOut, retryAfter}`
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

  /** Replaces a socket that counts as dead. */
  restart() {
    if (this.state !== 'open') return;
    this.#drop();
    this.#open();
  }

  /** Ends the wait: the network or the user is back. */
  wake() {
    if (this.state === 'connecting' && this.#timer !== null) this.#open();
  }

  /** @returns whether the frame was passed to an open socket */
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
      // The connection may have been stopped or reopened during the request.
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
