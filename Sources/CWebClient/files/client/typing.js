// The typing users, and the user's own typing notifications.
import { MILLISECONDS } from './policy.js';

export class Typing {
  #me;
  #onChange;
  #send;
  #threads = new Map();
  #timers = new Set();
  #said = null;

  constructor(me, onChange, send) {
    this.#me = me;
    this.#onChange = onChange;
    this.#send = send;
  }

  stop() {
    this.#timers.forEach(clearTimeout);
  }

  /** The typing users in a thread, `{id, username}`. */
  users(thread) {
    return [...(this.#threads.get(thread) ?? [])].map(([id, { username }]) => ({ id, username }));
  }

  received({ thread_id: thread, user_id: user, username, on }) {
    if (user === this.#me) return;
    if (!on) {
      this.ended(thread, user);
      return;
    }
    const users = this.#threads.get(thread) ?? new Map();
    this.#threads.set(thread, users);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (users.get(user)?.timer === timer) this.ended(thread, user);
    }, MILLISECONDS.typingLasts);
    this.#timers.add(timer);
    users.set(user, { username, timer });
    this.#onChange();
  }

  ended(thread, user) {
    if (this.#threads.get(thread)?.delete(user)) this.#onChange();
  }

  /** Notes that the user has typed in a thread, or has sent or removed the text. */
  typed(thread, on) {
    const isRepeated = this.#said?.thread === thread && Date.now() - this.#said.at < MILLISECONDS.typingEvery;
    if (on ? isRepeated : this.#said?.thread !== thread || !thread) return;
    this.#said = on ? { thread, at: Date.now() } : null;
    this.#send({ typing: { id: thread, on } });
  }
}
