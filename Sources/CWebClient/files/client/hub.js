// The tabs of one user. One of them leads and has the connection, and the others send requests to it (Web Locks,
// BroadcastChannel).
import { CommandError } from './socket.js';

/** The timeout for an answer, in milliseconds. The browser may have suspended the leading tab. */
const TIMEOUT = 25_000;
/**
 * The silence of the leader after which a visible tab asks whether it is awake, the interval of this check, and the
 * timeout for the answer.
 */
const WATCH = { silence: 10_000, tick: 5_000, answer: 4_000 };

/** Workers have no document, and count as visible. */
const isVisible = () => (globalThis.document?.visibilityState ?? 'visible') === 'visible';

const lost = () => new CommandError({ code: 'disconnected', message: '', retryable: true });

/** Without Web Locks (pages over plain HTTP, except on this machine) every tab leads, with its own connection. */
export class Hub {
  #handlers;
  #name;
  #channel = null;
  #release = null;
  /** The request for the lock that this tab leads by. */
  #leading = null;
  /** The tab that leads, once it is known. What another one says is outdated: it has been suspended, and does not know it. */
  #leader = null;
  /** The tab whose newest message was ignored as outdated, if there is one. */
  #ignored = null;
  /** The message that is being sent to all tabs. */
  #saying = null;
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
   * resolves to the answer; `onMessage(message)` in every tab; `onLeader()` when another tab leads, or may lead;
   * `onDeposed()` when another tab has taken over from this one
   */
  constructor(name, handlers, watch = WATCH) {
    this.#handlers = handlers;
    this.#watch = watch;
    if (!globalThis.navigator?.locks || !globalThis.BroadcastChannel) {
      this.isLeader = true;
      return;
    }
    this.#channel = new BroadcastChannel(name);
    this.#channel.onmessage = ({ data }) => this.#received(data);
    this.#name = name;
    this.#queue();
    this.#watchdog = setInterval(() => this.#listenForSilence(), this.#watch.tick);
  }

  start() {
    if (this.isLeader && !this.#channel) this.#handlers.onLead();
  }

  stop() {
    this.#abort.abort();
    clearInterval(this.#watchdog);
    // The lock may reach the next leader before the message that makes this tab stop, and the message would be outdated
    // there.
    if (this.#saying) this.#channel?.postMessage({ ...this.#saying, kind: 'last' });
    this.#release?.();
    this.#channel?.close();
    this.#channel = null;
    this.#failAll();
  }

  get tab() {
    return this.#tab;
  }

  /** Sends a message to all tabs. Only the leader calls it. */
  broadcast(message) {
    // The other tabs are first, because this tab may close the channel in response to the message.
    this.#saying = { kind: 'message', leader: this.#tab, message };
    this.#channel?.postMessage(this.#saying);
    this.#handlers.onMessage(message);
    this.#saying = null;
  }

  /** Sends a request to the leader. Throws `CommandError`. */
  request(body) {
    if (this.isLeader) return this.#handlers.onRequest(body, this.#tab);
    if (!this.#channel) return Promise.reject(lost());
    this.#count += 1;
    const number = this.#count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(number, null, { code: 'disconnected', retryable: true }), TIMEOUT);
      this.#requests.set(number, { resolve, reject, timer });
      this.#channel.postMessage({ kind: 'request', tab: this.#tab, number, body });
    });
  }

  /**
   * Waits to become the leader, or takes over. A takeover does not replace the waiting request, so a tab from which
   * another one takes over waits again.
   */
  #queue({ isTakeover = false } = {}) {
    // A lock may be lost before its holder is called.
    let isLost = false;
    const request = {};
    const options = isTakeover ? { steal: true } : { signal: this.#abort.signal };
    navigator.locks.request(this.#name, options, () => (isLost ? undefined : this.#lead(request))).catch((error) => {
      isLost = true;
      // Any other error would occur again.
      if (!this.#channel || error.name !== 'AbortError') return;
      if (!isTakeover) this.#queue();
      if (this.#leading !== request) return;
      this.isLeader = false;
      this.#leading = null;
      this.#release = null;
      this.#channel.postMessage({ kind: 'deposed', leader: this.#tab });
      this.#handlers.onDeposed();
    });
  }

  /**
   * Checks the leader when the user looks at this tab. If the leader does not answer, because the system has suspended
   * its tab, this tab takes over.
   */
  async check() {
    if (this.isLeader || !this.#channel || this.#isChecking) return;
    this.#isChecking = true;
    const timer = new Promise((resolve) => { setTimeout(resolve, this.#watch.answer, false); });
    const isAlive = await Promise.race([this.request({ do: 'alive' }).then(() => true, () => false), timer]);
    this.#isChecking = false;
    if (!isAlive && !this.isLeader && this.#channel && isVisible()) this.#queue({ isTakeover: true });
  }

  /** Repeats the check, because the system may suspend the leader after this tab was shown. */
  #listenForSilence() {
    if (isVisible() && performance.now() - this.#heardAt > this.#watch.silence) this.check();
  }

  #lead(request) {
    if (!this.#channel) return undefined;
    this.isLeader = true;
    this.#leading = request;
    this.#leader = this.#tab;
    this.#failAll();
    this.#handlers.onLead();
    this.#channel.postMessage({ kind: 'leader', leader: this.#tab });
    return new Promise((resolve) => { this.#release = resolve; });
  }

  #received(data) {
    if (data.kind === 'request') {
      if (this.isLeader) this.#answer(data);
      return;
    }
    if (data.kind === 'leader') this.#leader = data.leader;
    this.#leader ??= data.leader;
    const isOutdated = data.leader !== this.#leader;
    if (!isOutdated) this.#heardAt = performance.now();
    if (data.kind === 'answer' && data.tab === this.#tab) {
      this.#settle(data.number, data.result, isOutdated ? { code: 'disconnected', retryable: true } : data.error);
    } else if (data.kind === 'message') {
      this.#ignored = isOutdated ? data.leader : null;
      if (!isOutdated) this.#handlers.onMessage(data.message);
    } else if (data.kind === 'last') {
      if (this.#ignored === data.leader) this.#handlers.onMessage(data.message);
    } else if (data.kind === 'leader') {
      this.#failAll();
      this.#handlers.onLeader();
    } else if (data.kind === 'deposed' && !isOutdated) {
      this.#leader = null;
      // It may have been suspended and begun to lead too late, and what the real leader has said since was ignored.
      this.#handlers.onLeader();
    }
  }

  async #answer({ tab, number, body }) {
    let answer;
    try {
      answer = { result: await this.#handlers.onRequest(body, tab) };
    } catch (error) {
      const { code = 'unavailable', message, isRetryable = true, retryAfter = 0 } = error;
      answer = { error: { code, message, retryable: isRetryable, retry_after_ms: retryAfter } };
    }
    // Another tab may have taken over during the request. The others would believe that this one still leads.
    this.#channel?.postMessage({ kind: 'answer', leader: this.isLeader ? this.#tab : null, tab, number, ...answer });
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
