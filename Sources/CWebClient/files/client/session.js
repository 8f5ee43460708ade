// The credentials of a client: a token, a function that returns tokens, a name with a password, or the page's cookie.
import { waitBefore } from './policy.js';

/** The time for which renewed credentials count as fresh, in milliseconds. */
const FRESH = 30_000;

/** The first value of `Set-Cookie`, which scripts of pages cannot read. */
const sessionOf = (headers) => headers.get('set-cookie')?.match(/^[^=;\s]+=([^;]+)/)?.[1] ?? null;

export class Session {
  #options;
  #token = null;
  /** The time of the last renewal, until the server has accepted the credentials. */
  #renewedAt = -Infinity;
  #timer = null;
  #resume = () => {};
  /** The transport; it asks this session for the credentials of each request. */
  rest = null;

  constructor(options) {
    this.#options = options;
    this.base = new URL(options.url ?? '/', globalThis.location?.href).origin;
  }

  get socketURL() { return `${this.base.replace(/^http/, 'ws')}/chat`; }

  /** Sockets of browsers have no header fields, so credentials other than a cookie need a ticket. */
  get needsTicket() { return this.#options.token !== undefined || this.#token !== null; }

  /** The `Authorization` header; `null` for the cookie. */
  async authorization() {
    const { token } = this.#options;
    if (typeof token === 'string') return `Bearer ${token}`;
    if (token && this.#token === null) await this.#fetchToken();
    return this.#token && `Bearer ${this.#token}`;
  }

  async #fetchToken() {
    this.#token = await this.#options.token();
  }

  /** A ticket for the next socket. */
  async ticket() {
    const ticket = await this.rest.ticket();
    this.#renewedAt = -Infinity;
    return ticket;
  }

  /** The user. Logs in if necessary. */
  async me() {
    if (this.#options.credentials && this.#token === null) return this.#logIn();
    try {
      return await this.rest.me();
    } catch (error) {
      if (error.isSignedOut && await this.renew()) return this.rest.me();
      throw error;
    }
  }

  async #logIn(path = '/auth/login') {
    const { username, password, signUp } = this.#options.credentials;
    const { response, text } = await this.rest.send('POST', path, {
      authorization: null, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ username, password }),
    });
    if (signUp && response.status === 401) {
      // A name that is taken belongs to another password, which is what the answer to the login says.
      return this.#logIn('/auth/signup').catch((error) => error.status === 403 ? this.rest.answer(response, text) : Promise.reject(error));
    }
    const user = this.rest.answer(response, text);
    this.#token = sessionOf(response.headers);
    return user;
  }

  /** Replaces credentials that the server has refused. @returns whether there are others */
  async renew() {
    const { token, credentials } = this.#options;
    // Fresh credentials that are refused as well are not expired.
    if (performance.now() - this.#renewedAt < FRESH) return false;
    try {
      if (typeof token === 'function') await this.#fetchToken();
      else if (credentials) await this.#logIn();
      else return false;
      this.#renewedAt = performance.now();
      return true;
    } catch (error) {
      return error.isRetryable ?? false;
    }
  }

  /** Waits before the next attempt to log in. */
  pause(attempt, retryAfter) {
    return new Promise((resolve) => {
      this.#resume = resolve;
      this.#timer = setTimeout(resolve, retryAfter + waitBefore(attempt, 'back-off'));
    });
  }

  stop() {
    clearTimeout(this.#timer);
    this.#resume();
  }
}
