// The invitations of the user, and the news that the ways into a thread may have changed.

export class Invitations {
  #request;
  #changed;
  #listeners = new Set();
  #isLoading = false;
  #isOld = false;
  #isOver = false;
  #all = [];

  /** @param request resolves to the invitations @param changed called after a change */
  constructor(request, changed) {
    this.#request = request;
    this.#changed = changed;
  }

  /** The invitations that have not expired. */
  current(now = Date.now()) { return this.#all.filter(({ until_ms: until }) => until === undefined || until > now); }

  /** Handles a frame `entrances`. */
  told({ thread_id: id }) {
    if (id === undefined) this.load();
    else for (const listener of [...this.#listeners]) listener(id);
  }

  /** Calls `listener` with the ID of a thread whose requests or invitations may have changed. @returns a function that ends this */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Loads the list, and once more if it may have changed in the meantime. */
  async load() {
    this.#isOld = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      while (this.#isOld && !this.#isOver) {
        this.#isOld = false;
        this.#all = await this.#request() ?? [];
        if (!this.#isOver) this.#changed();
      }
    } catch {
      // The next connection loads it again.
    } finally {
      this.#isLoading = false;
    }
  }

  /** Removes an invitation that is answered. */
  answered(threadID) {
    this.#all = this.#all.filter(({ thread }) => thread.id !== threadID);
    this.#changed();
  }

  stop() {
    this.#isOver = true;
    this.#listeners.clear();
  }
}
