// The connection to the server in the v1 dialect: one socket at a time, reopened whenever the close code allows it.
import { closeReaction, MILLISECONDS, waitBefore } from './policy.js';

/** The interval of checks for silence, in milliseconds. */
const TICK = 5_000;
/** The HTTP status of a handshake that must not be repeated. */
const FORBIDDEN = 403;
/** The close code of a user whom an operator has suspended. */
const SUSPENDED = 4003;

/** A command that was refused, or whose answer was lost with the socket. */
export class CommandError extends Error {
  constructor({ code, message, retryable, retry_after_ms: retryAfter }) {
    super(message ?? code);
    this.code = code;
    this.isRetryable = retryable ?? false;
    this.retryAfter = retryAfter ?? 0;
  }
}

const cutOff = () => new CommandError({ code: 'disconnected', message: '', retryable: true });

/**
 * Keeps a connection open. `state` is `off`, `connecting` (also while waiting for a retry), `open` (after `hello`), or
 * `stopped` after a close code, or a status of the handshake, that forbids reconnecting.
 */
export class Connection {
  #url;
  #handlers;
  #socket = null;
  #timer = null;
  #watchdog = null;
  #attempt = 0;
  #openedAt = 0;
  #heardAt = 0;
  #pingInterval = 25_000;
  #ref = 0;
  #resumeRef = null;
  #commands = new Map();
  #ticket = null;
  #goAt = null;
  /** The number of the attempt, which another one ends while its ticket is requested. */
  #opening = 0;
  state = 'off';
  /** The reason of a close code, or the status of a handshake, that forbids reconnecting. */
  stopReason = '';
  /** `{untilMs, reason}`, each if it is known, while the connection is stopped because the user is suspended. */
  suspension = null;

  /**
   * @param handlers `onState()`; `onHello(hello)`, which returns the positions to resume from; `onFrame(frame)`;
   * `onSignedOut()`; optionally `WebSocket`, the class, and `ticket()`, which resolves to a ticket for the next socket;
   * and `probe()`, which checks the session over HTTP, because browsers do not reveal why a socket was
   * refused: it resolves to `{isSignedOut, retryAfter, suspension}`
   */
  constructor(url, handlers) {
    this.#url = url;
    this.#handlers = handlers;
  }

  start() {
    this.#attempt = 0;
    this.suspension = null;
    this.#open();
  }

  stop() {
    this.#drop();
    this.#set('off');
  }

  /** Ends the wait, because the network or the user has returned. */
  wake() {
    if (this.state === 'connecting' && this.#timer !== null && this.#goAt === null) this.#open();
    if (this.state === 'open') this.#listenForSilence();
  }

  /**
   * Sends a command and resolves to its answer, or throws `CommandError`.
   * @param onStored called with the second ack of a send that requested `stored`
   */
  command(command, onStored) {
    if (this.state !== 'open') return Promise.reject(cutOff());
    this.#ref += 1;
    const ref = this.#ref;
    const isPing = command.ping !== undefined;
    return new Promise((resolve, reject) => {
      this.#commands.set(ref, { resolve, reject, onStored, isPing, sentAt: performance.now(), isAnswered: false });
      this.#socket.send(JSON.stringify({ ...command, ref }));
    });
  }

  #set(state) {
    if (state === this.state) return;
    this.state = state;
    this.#handlers.onState();
  }

  #drop() {
    this.#opening += 1;
    clearTimeout(this.#timer);
    clearInterval(this.#watchdog);
    this.#timer = null;
    this.#goAt = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    const commands = [...this.#commands.values()];
    this.#commands.clear();
    for (const { reject, isAnswered } of commands) if (!isAnswered) reject(cutOff());
  }

  #open() {
    this.#drop();
    this.#set('connecting');
    const ticket = this.#ticket && performance.now() < this.#ticket.until ? this.#ticket.text : null;
    this.#ticket = null;
    if (ticket || !this.#handlers.ticket) this.#connect(ticket);
    else this.#connectWithTicket();
  }

  async #connectWithTicket() {
    const opening = this.#opening;
    const isCurrent = () => opening === this.#opening && this.state === 'connecting';
    try {
      const ticket = await this.#handlers.ticket();
      if (isCurrent()) this.#connect(ticket);
    } catch {
      if (isCurrent()) this.#closed('refused', { announced: null });
    }
  }

  #connect(ticket) {
    const WebSocket = this.#handlers.WebSocket ?? globalThis.WebSocket;
    const socket = new WebSocket(ticket ? `${this.#url}?ticket=${encodeURIComponent(ticket)}` : this.#url, 'parley.v1');
    this.#socket = socket;
    const opening = setTimeout(() => socket.close(), MILLISECONDS.handshake);
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      this.#heardAt = performance.now();
      let frame;
      try {
        frame = JSON.parse(data);
      } catch {
        return;
      }
      if (frame.type === 'hello') {
        clearTimeout(opening);
        this.#welcome(frame);
      } else {
        this.#receive(frame);
      }
    };
    // An error is followed by a close.
    socket.onerror = () => {};
    let refusal = 0;
    // Unlike browsers, the class of the Node package `ws` reveals why a socket was refused.
    socket.on?.('unexpected-response', (request, response) => {
      refusal = response.statusCode;
      socket.close();
    });
    socket.onclose = ({ code, reason }) => {
      clearTimeout(opening);
      if (socket !== this.#socket) return;
      const wasOpen = this.state === 'open';
      const goAt = this.#goAt;
      this.#drop();
      if (wasOpen && performance.now() - this.#openedAt >= MILLISECONDS.stableAfter) this.#attempt = 0;
      const announced = goAt === null ? null : Math.max(0, goAt - performance.now());
      this.#closed(wasOpen ? closeReaction(code) : refusal === FORBIDDEN ? 'stop' : 'refused', { code: refusal || code, reason, announced });
    };
  }

  #welcome(hello) {
    this.#openedAt = performance.now();
    this.#pingInterval = hello.ping_interval_ms ?? this.#pingInterval;
    clearInterval(this.#watchdog);
    this.#watchdog = setInterval(() => this.#listenForSilence(), TICK);
    // `resume` must be the first command. Without positions it only starts the live events immediately.
    const threads = this.#handlers.onHello(hello);
    this.#ref += 1;
    this.#resumeRef = this.#ref;
    this.#socket?.send(JSON.stringify({ resume: { threads }, ref: this.#ref }));
    if (this.#socket) this.#set('open');
  }

  #receive(frame) {
    const command = this.#commands.get(frame.ref);
    if (frame.type === 'error' && frame.ref === this.#resumeRef) {
      // On a slow network the resume arrives too late. `hello` contains the ends of all threads, and history provides
      // the missing events.
      this.#handlers.onFrame({ type: 'resumed', threads: {} });
      return;
    }
    if (frame.type === 'error') {
      this.#commands.delete(frame.ref);
      if (command?.isAnswered === false) command.reject(new CommandError(frame));
      return;
    }
    if (command) {
      if (!command.isAnswered) command.resolve(frame);
      command.isAnswered = true;
      if (frame.level === 'stored') command.onStored?.(frame);
      if (!command.onStored || frame.level === 'stored') this.#commands.delete(frame.ref);
      if (frame.type === 'ack' || frame.type === 'page' || frame.type === 'pong') return;
    }
    if (frame.type === 'bye') this.#leave(frame);
    else this.#handlers.onFrame(frame);
  }

  /**
   * Handles a draining node: the socket stays open until the node closes it at the announced time, and the next one
   * opens on another node.
   */
  #leave({ reconnect_after_ms: delay, ticket }) {
    if (ticket) this.#ticket = { text: ticket, until: performance.now() + MILLISECONDS.ticketLifetime };
    clearTimeout(this.#timer);
    this.#goAt = performance.now() + delay;
    this.#timer = setTimeout(() => this.#open(), delay + MILLISECONDS.byeGrace);
  }

  /** Sends a ping during silence. The server's own pings are not visible to scripts. */
  #listenForSilence() {
    const now = performance.now();
    const waiting = [...this.#commands.values()].filter((each) => !each.isAnswered);
    // Frames keep their order, so a frame that arrives earlier extends the deadline.
    const isOverdue = ({ isPing, sentAt }) =>
      (isPing ? now > sentAt + MILLISECONDS.pong && this.#heardAt < sentAt
        : now > Math.max(sentAt, this.#heardAt) + MILLISECONDS.answer);
    if (waiting.some(isOverdue)) {
      this.#lost();
    } else if (now - this.#heardAt > this.#pingInterval && !waiting.some((each) => each.isPing)) {
      this.command({ ping: Date.now() }).catch(() => {});
    }
  }

  /** Abandons the socket, which would report its end much later, and reconnects after the delay. */
  #lost() {
    const hasLasted = performance.now() - this.#openedAt >= MILLISECONDS.stableAfter;
    const announced = this.#goAt === null ? null : Math.max(0, this.#goAt - performance.now());
    this.#drop();
    if (hasLasted) this.#attempt = 0;
    this.#closed('back-off', { announced });
  }

  async #closed(rule, { code, reason, announced }) {
    if (rule === 'sign-out') {
      this.#set('off');
      this.#handlers.onSignedOut();
      return;
    }
    if (rule === 'stop') {
      this.stopReason = reason || `${code}`;
      this.suspension = code === SUSPENDED ? {} : null;
      this.#set('stopped');
      if (code === SUSPENDED || code === FORBIDDEN) this.#learnSuspension();
      return;
    }
    this.#set('connecting');
    // A ticket is not newer than the expired credentials.
    if (rule === 'renew') this.#ticket = null;
    let least = 0;
    if (rule === 'refused' || rule === 'renew') {
      const { isSignedOut, retryAfter, suspension } = await this.#handlers.probe();
      // The connection may have been stopped or reopened during the request.
      if (this.state !== 'connecting' || this.#socket || this.#timer !== null) return;
      if (isSignedOut) {
        this.#set('off');
        this.#handlers.onSignedOut();
        return;
      }
      if (suspension) {
        this.stopReason = 'suspended';
        this.suspension = suspension;
        this.#set('stopped');
        return;
      }
      least = retryAfter;
    }
    const wait = announced ?? least + waitBefore(this.#attempt, rule);
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.#open(), wait);
  }
  /** A close frame has room for a text only, and a refused handshake for none, so REST is asked for the end and the reason. */
  async #learnSuspension() {
    const { suspension } = await this.#handlers.probe();
    if (!suspension || this.state !== 'stopped') return;
    this.suspension = suspension;
    this.#handlers.onState();
  }
}
