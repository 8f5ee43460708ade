// The tabs of one user: one of them leads, which has the connection, and the others ask it (Web Locks, BroadcastChannel).
import { CommandError } from './socket.js';

/** How long a follower waits for an answer, in milliseconds; the leader may be a tab that the browser has put to sleep. */
const PATIENCE = 25_000;
/**
 * How long the leader may be silent until a visible tab asks whether it is awake, how often that is looked for, and how
 * long the tab waits for an answer.
 */
const WATCH = { silence: 10_000, tick: 5_000, answer: 4_000 };

const lost = () => new CommandError({ code: 'disconnected', message: '', retryable: true });

/**
 * Without Web Locks (pages over plain HTTP, except on this machine) every tab leads, with a connection of its own.
 */
export class Hub {
  #handlers;
  #name;
  #channel = null;
  #release = null;
  #abort = new AbortController();
  #requests = new Map();
  #isChecking = false;
  #heardAt = performance.now();
  #watchdog = null;
  #watch;
  #count = 0;
  #tab = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  isLeader = false;

  /**
   * @param handlers `onLead()`, called once when this tab begins to lead; `onRequest(body, tab)`, in the leading tab,
   *   resolves to the answer; `onMessage(message)` in every tab; `onLeader()` when another tab has begun to lead;
   *   `onDeposed()` when another tab has taken the lead from this one
   */
  constructor(name, handlers, watch = WATCH) {
    this.#handlers = handlers;
    this.#watch = watch;
    if (!navigator.locks || !globalThis.BroadcastChannel) {
      this.isLeader = true;
      return;
    }
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#received(data);
    this.#name = name;
    this.#queue({ signal: this.#abort.signal });
    this.#watchdog = setInterval(() => this.#listenForSilence(), this.#watch.tick);
  }

  start() {
    if (this.isLeader && !this.#channel) this.#handlers.onLead();
  }

  stop() {
    this.#abort.abort();
    clearInterval(this.#watchdog);
    this.#release?.();
    this.#channel?.close();
    this.#channel = null;
    this.#failAll();
  }

  get tab() {
    return this.#tab;
  }

  /** To all tabs. Only the leader calls it. */
  broadcast(message) {
    // The others first: this tab may close the channel because of the message.
    this.#channel?.postMessage({ kind: 'message', message });
    this.#handlers.onMessage(message);
  }

  /** Asks the leader. Throws `CommandError`. */
  request(body) {
    if (this.isLeader) return this.#handlers.onRequest(body, this.#tab);
    if (!this.#channel) return Promise.reject(lost());
    this.#count += 1;
    const number = this.#count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(number, null, { code: 'disconnected', retryable: true }), PATIENCE);
      this.#requests.set(number, { resolve, reject, timer });
      this.#channel.postMessage({ kind: 'request', tab: this.#tab, number, body });
    });
  }

  /** Waits for the lead, or takes it. */
  #queue(options) {
    navigator.locks.request(this.#name, options, () => this.#lead()).catch(() => {
      if (!this.isLeader || !this.#channel) return;
      this.isLeader = false;
      this.#release = null;
      this.#handlers.onDeposed();
      this.#queue({ signal: this.#abort.signal });
    });
  }

  /**
   * The user looks at this tab: if the leader does not answer, because the system has put its tab to sleep, this one
   * takes the lead.
   */
  async check() {
    if (this.isLeader || !this.#channel || this.#isChecking) return;
    this.#isChecking = true;
    const timer = new Promise((resolve) => { setTimeout(resolve, this.#watch.answer, false); });
    const isAlive = await Promise.race([this.request({ do: 'alive' }).then(() => true, () => false), timer]);
    this.#isChecking = false;
    if (!isAlive && !this.isLeader && this.#channel && document.visibilityState === 'visible') this.#queue({ steal: true });
  }

  /** The system may put the leader to sleep some time after this tab was shown. */
  #listenForSilence() {
    if (document.visibilityState === 'visible' && performance.now() - this.#heardAt > this.#watch.silence) this.check();
  }

  #lead() {
    if (!this.#channel) return undefined;
    this.isLeader = true;
    this.#failAll();
    this.#handlers.onLead();
    this.#channel.postMessage({ kind: 'leader' });
    return new Promise((resolve) => { this.#release = resolve; });
  }

  async #received(data) {
    if (data.kind !== 'request') this.#heardAt = performance.now();
    if (data.kind === 'message') {
      this.#handlers.onMessage(data.message);
    } else if (data.kind === 'leader') {
      this.#failAll();
      this.#handlers.onLeader();
    } else if (data.kind === 'answer' && data.tab === this.#tab) {
      this.#settle(data.number, data.result, data.error);
    } else if (data.kind === 'request' && this.isLeader) {
      const { tab, number, body } = data;
      try {
        const result = await this.#handlers.onRequest(body, tab);
        this.#channel?.postMessage({ kind: 'answer', tab, number, result });
      } catch (error) {
        const { code = 'unavailable', message, isRetryable = true, retryAfter = 0 } = error;
        this.#channel?.postMessage({
          kind: 'answer', tab, number, error: { code, message, retryable: isRetryable, retry_after_ms: retryAfter },
        });
      }
    }
  }

  #settle(number, result, error) {
    const request = this.#requests.get(number);
    if (!request) return;
    this.#requests.delete(number);
    clearTimeout(request.timer);
    if (error) request.reject(new CommandError(error));
    else request.resolve(result);
  }

  #failAll() {
    for (const number of [...this.#requests.keys()]) this.#settle(number, null, { code: 'disconnected', retryable: true });
  }
}
