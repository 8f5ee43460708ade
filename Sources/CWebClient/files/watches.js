// The users whose presence the tabs show, as far as the server reports it.

/** Maximum number of users in one `watch` (PROTOCOL, "Limits"). */
const MOST_USERS = 500;
/** Tabs whose users count; those that asked longest ago may be closed. */
const MOST_TABS = 20;

export class Watches {
  #tabs = new Map();

  set(tab, users) {
    this.#tabs.delete(tab);
    this.#tabs.set(tab, users.slice(0, MOST_USERS));
    if (this.#tabs.size > MOST_TABS) this.#tabs.delete(this.#tabs.keys().next().value);
  }

  /** Those of the tabs that asked last come first. */
  get users() {
    return [...new Set([...this.#tabs.values()].reverse().flat())].slice(0, MOST_USERS);
  }
}
