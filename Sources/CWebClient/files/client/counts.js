// The unread counts that cannot be derived from events, and are requested from the server.
import { waitBefore } from './policy.js';

/** The maximum number of requests for one count. The next `hello` contains the count as well. */
const MAX_REQUESTS = 8;

export class Counts {
  #host;
  /** The number of requests that did not settle the count of a thread. */
  #requests = new Map();

  /**
   * @param host `thread(id)` resolves to the answer of `GET /v1/threads/{id}`; `emit(message)` to all tabs;
   * `again(id, delay, action)` runs an action later, if there is a connection
   */
  constructor(host) {
    this.#host = host;
  }

  /** Requests the counts of the threads in `roster.unsure`. An answer may be older than the received events. */
  async settle(roster) {
    const ids = [...roster.unsure];
    roster.unsure.clear();
    for (const id of ids) {
      await this.#request(roster, id);
      if (roster.isUnsure(id)) this.#again(roster, id);
      else this.#requests.delete(id);
    }
  }

  async #request(roster, id) {
    try {
      const thread = await this.#host.thread(id);
      roster.listed([thread]);
      this.#host.emit({ listed: [thread] });
      const settled = roster.get(id);
      if (settled && !roster.isUnsure(id)) this.#host.emit({ count: { id, unread: settled.unread, readSeq: settled.readSeq } });
    } catch {
      // Requested again.
    }
  }

  #again(roster, id) {
    const count = (this.#requests.get(id) ?? 0) + 1;
    if (count >= MAX_REQUESTS) {
      this.#requests.delete(id);
      return;
    }
    this.#requests.set(id, count);
    this.#host.again(id, waitBefore(count, 'later'), () => {
      if (roster.isUnsure(id)) roster.unsure.add(id);
      this.settle(roster);
    });
  }
}
