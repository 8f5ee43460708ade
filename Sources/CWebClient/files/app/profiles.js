// The display names and pictures of users, looked up when they are first shown.
import { isAttachmentPath } from './attachments.js';

/** The maximum number of cached users. */
const MAX_USERS = 2_000;
/** The time that a profile or a failed lookup is cached for, in milliseconds. */
const LIFETIME = 10 * 60_000;
const FAILED_LIFE = 30_000;
/**
 * The maximum number of concurrent lookups, and of waiting ones. The oldest waiting ones are dropped; they are
 * requested again if they are still shown.
 */
const PARALLEL = 4;
const WAITING = 100;

/** The picture of a profile, if this server has it. Other servers must not learn who reads. */
export const avatarPath = (url) => (isAttachmentPath(url) ? url : null);
/** The path of the picture of a room; `null` for none. @param room see client/room.js */
export const roomPicture = (room) => avatarPath(`/v1/attachments/${room?.picture ?? ''}`);

const UNKNOWN = { name: null, url: null };
/** A profile that could not be looked up. */
const FAILED = { name: null, url: null, isFailed: true };

const profileOf = ({ display_name: name, avatar_url: url }) => ({ name: name ?? null, url: avatarPath(url) });

export class Profiles {
  #known = new Map();
  #waiting = new Map();
  #count = 0;
  #load;
  #listeners = new Set();
  #now;

  /**
   * @param load resolves to a user with `display_name` and `avatar_url`
   * @param onChange called when a name or a picture was found or has changed
   */
  constructor(load, onChange, now = Date.now) {
    this.#load = load;
    this.#listeners.add(onChange);
    this.#now = now;
  }

  /** The URL of a user's picture, or `null`. An unknown profile is looked up. */
  get(id) {
    if (!(this.#known.get(id)?.until > this.#now())) this.#ask(id);
    return this.known(id);
  }

  /** The URL of a user's picture, if it is already known. */
  known(id) {
    return this.#known.get(id)?.url ?? null;
  }

  /** The display name of a user, if it is already known, and if there is one. */
  nameOf(id) {
    return this.#known.get(id)?.name ?? null;
  }

  /** Whether the name and the picture of a user are known, or known not to exist. */
  has(id) {
    return this.#known.has(id) && !this.#known.get(id).isFailed;
  }

  /** Makes all profiles be looked up again when they are next shown. Until then they stay. */
  expire() {
    for (const each of this.#known.values()) each.until = 0;
  }

  /** @returns a function that ends the subscription */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds users whose profiles were loaded. */
  learn(users) {
    for (const user of users) this.#set(user.id, profileOf(user), LIFETIME);
  }

  #set(id, { name, url, isFailed }, life) {
    const known = this.#known.get(id) ?? UNKNOWN;
    const isNew = known.url !== url || known.name !== name;
    this.#known.delete(id);
    this.#known.set(id, { name, url, isFailed, until: this.#now() + life });
    if (this.#known.size > MAX_USERS) this.#known.delete(this.#known.keys().next().value);
    if (isNew) for (const listener of this.#listeners) listener();
  }

  #ask(id) {
    if (!id || this.#waiting.has(id)) return;
    this.#waiting.set(id, false);
    if (this.#waiting.size > WAITING) this.#waiting.delete(this.#oldest);
    this.#next();
  }

  /** The first lookup that is not in progress. */
  get #oldest() {
    return [...this.#waiting].find(([, isAsked]) => !isAsked)?.[0];
  }

  async #next() {
    const id = this.#count < PARALLEL && this.#oldest;
    if (!id) return;
    this.#waiting.set(id, true);
    this.#count += 1;
    try {
      this.#set(id, profileOf(await this.#load(id)), LIFETIME);
    } catch (error) {
      // The user does not exist. Without a connection, known profiles stay.
      if (error.status === 404) this.#set(id, UNKNOWN, LIFETIME);
      else this.#set(id, this.#known.get(id) ?? FAILED, FAILED_LIFE);
    }
    this.#waiting.delete(id);
    this.#count -= 1;
    this.#next();
  }
}
