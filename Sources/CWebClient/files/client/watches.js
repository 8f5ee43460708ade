// The watched users of all tabs, with their presence as reported by the server.

/** Maximum number of users in one `watch` (PROTOCOL, "Limits"). */
const MAX_USERS = 500;
/** The maximum number of tabs whose users count. Tabs with the oldest requests may be closed. */
const MAX_TABS = 20;

export class Watches {
  #tabs = new Map();

  set(tab, users) {
    this.#tabs.delete(tab);
    this.#tabs.set(tab, users.slice(0, MAX_USERS));
    if (this.#tabs.size > MAX_TABS) this.#tabs.delete(this.#tabs.keys().next().value);
  }

  /** The users of the most recent requests come first. */
  get users() {
    return [...new Set([...this.#tabs.values()].reverse().flat())].slice(0, MAX_USERS);
  }
}
