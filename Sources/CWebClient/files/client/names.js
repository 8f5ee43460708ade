// The names of users by ID, as known from events.

/** The maximum number of names. The oldest are removed. */
const MAX_NAMES = 5_000;

export class Names {
  #all = new Map();

  get(id) {
    return this.#all.get(id);
  }

  values() {
    return this.#all.values();
  }

  set(id, name) {
    this.#all.delete(id);
    this.#all.set(id, name);
    if (this.#all.size > MAX_NAMES) this.#all.delete(this.#all.keys().next().value);
  }

  learn({ sender_id: sender, sender_name: senderName, user_id: user, username }) {
    if (sender && senderName && this.#all.get(sender) !== senderName) this.set(sender, senderName);
    if (user && username && this.#all.get(user) !== username) this.set(user, username);
  }
}
