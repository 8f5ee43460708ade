// The names of users by ID, as known from events.

/** The maximum number of names. The oldest are removed. */
const MAX_NAMES = 5_000;

export class Names {
  #all = new Map();
  #shown = new Map();

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

  /** The display name of a user in the messages that were last learned, if there is one. */
  shown(id) {
    return this.#shown.get(id);
  }

  #show(id, name) {
    this.#shown.delete(id);
    if (name) this.#shown.set(id, name);
    if (this.#shown.size > MAX_NAMES) this.#shown.delete(this.#shown.keys().next().value);
  }

  learn({ sender_id: sender, sender_name: senderName, sender_display_name: shown, user_id: user, username }) {
    if (sender && senderName && this.#all.get(sender) !== senderName) this.set(sender, senderName);
    if (sender && senderName && this.#shown.get(sender) !== shown) this.#show(sender, shown);
    if (user && username && this.#all.get(user) !== username) this.set(user, username);
  }
}
