// The pictures of users, looked up when they are shown first.
import { isAttachmentPath } from './attachments.js';

/** Users remembered. */
const MOST = 2_000;
/** How long a picture, and a failed look-up, is remembered, in milliseconds. */
const LIFE = 10 * 60_000;
const FAILED_LIFE = 30_000;
/** Look-ups at the same time, and waiting ones; the oldest are dropped, as they are asked for again if still shown. */
const PARALLEL = 4;
const WAITING = 100;

/** The picture of a profile, if this server has it: others must not learn who reads. */
export const avatarPath = (url) => (isAttachmentPath(url) ? url : null);

export class Avatars {
  #known = new Map();
  #waiting = new Map();
  #count = 0;
  #load;
  #listeners = new Set();
  #now;

  /** @param load resolves to a user with `avatar_url`; @param onChange called when a picture was found or is gone */
  constructor(load, onChange, now = Date.now) {
    this.#load = load;
    this.#listeners.add(onChange);
    this.#now = now;
  }

  /** The address of a user's picture, or `null`; looked up if it is not known. */
  get(id) {
    if (!(this.#known.get(id)?.until > this.#now())) this.#ask(id);
    return this.known(id);
  }

  /** The address as far as it is known already. */
  known(id) {
    return this.#known.get(id)?.url ?? null;
  }

  /** @returns a function that ends it */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Users that were loaded with their profiles. */
  learn(users) {
    for (const { id, avatar_url: url } of users) this.#set(id, avatarPath(url), LIFE);
  }

  #set(id, url, life) {
    const isNew = (this.#known.get(id)?.url ?? null) !== url;
    this.#known.delete(id);
    this.#known.set(id, { url, until: this.#now() + life });
    if (this.#known.size > MOST) this.#known.delete(this.#known.keys().next().value);
    if (isNew) for (const listener of this.#listeners) listener();
  }

  #ask(id) {
    if (!id || this.#waiting.has(id)) return;
    this.#waiting.set(id, false);
    if (this.#waiting.size > WAITING) this.#waiting.delete(this.#oldest);
    this.#next();
  }

  /** The first one that is not looked up yet; those before it are on their way. */
  get #oldest() {
    return [...this.#waiting].find(([, isAsked]) => !isAsked)?.[0];
  }

  async #next() {
    const id = this.#count < PARALLEL && this.#oldest;
    if (!id) return;
    this.#waiting.set(id, true);
    this.#count += 1;
    try {
      this.#set(id, avatarPath((await this.#load(id)).avatar_url), LIFE);
    } catch (error) {
      // There is no such user any more. Without a connection what is known stays for now.
      if (error.status === 404) this.#set(id, null, LIFE);
      else this.#set(id, this.#known.get(id)?.url ?? null, FAILED_LIFE);
    }
    this.#waiting.delete(id);
    this.#count -= 1;
    this.#next();
  }
}
