// The sends of this tab's user. They are stored in the outbox of this device, and then passed to the leading tab.
import * as outboxes from './outbox.js';
import { uuidV7 } from './uuid.js';

/** The maximum number of attempts to pass an entry to the leading tab, which may be closed in the meantime. */
const SUBMIT_ATTEMPTS = 4;

export class Outgoing {
  #host;
  #order = 0;
  /**
   * The entries of this tab that the leading tab does not have yet, by ID. Read marks are omitted, because nothing
   * shows them.
   */
  #own = new Map();
  /** The requests for own entries that no leading tab has taken, because it had no room or did not answer. */
  #unplaced = new Map();
  /** The outbox of the leading tab. */
  #shared = [];
  /** The entries of the leading tab and of this one. */
  outbox = [];
  /** The progress of uploads, `{sent, total}` by message ID. */
  progress = new Map();

  /** @param host `transact(…)` of the database; `request(body)` to the leading tab; `isOver`; `changed()` */
  constructor(host) {
    this.#host = host;
  }

  /** Replaces the outbox after the leading tab has changed it. */
  replaced(outbox) {
    for (const { id, order = 0 } of outbox) {
      this.#own.delete(id);
      this.#unplaced.delete(id);
      // The clock may have been ahead when it was made.
      this.#order = Math.max(this.#order, order);
    }
    this.#shared = outbox;
    this.#join();
    const uploading = new Set(outbox.filter((entry) => entry.state === 'uploading').map((entry) => entry.id));
    for (const id of this.progress.keys()) if (!uploading.has(id)) this.progress.delete(id);
    const [next] = outbox.length < outboxes.CAPACITY ? this.#unplaced.values() : [];
    if (!next) return;
    this.#unplaced.delete(next.entry.id);
    this.#pass(next);
  }

  #join() { this.outbox = [...this.#shared, ...this.#own.values()]; }

  /**
   * Adds a message. @returns its ID; `null` if too many messages or files are waiting
   * @param files each `{name, type, size, blob, width?, height?}`
   */
  send(thread, text, { replyTo, parts, files = [] }) {
    if (!outboxes.hasRoom(this.outbox, files)) return null;
    const id = uuidV7();
    const blobs = files.map((file) => file.blob);
    const content = { id, op: 'message', thread, text, replyTo, parts };
    if (files.length > 0) content.files = files.map(({ blob, ...file }) => file);
    return this.add(content, blobs) ? id : null;
  }

  /** Adds an edit, a deletion, a reaction or a read mark. @returns `false` if too many entries are waiting */
  add(content, blobs = []) {
    const at = Date.now();
    this.#order = Math.max(this.#order + 1, at * 1000);
    const entry = { id: uuidV7(), ...content, at, order: this.#order, state: 'waiting' };
    const outbox = outboxes.withEntry(this.outbox, entry);
    if (!outbox) return false;
    this.outbox = outbox;
    if (entry.op !== 'read') this.#own.set(entry.id, entry);
    this.#submit(entry, blobs);
    this.#host.changed();
    return true;
  }

  /**
   * Stores an entry on this device before passing it on, because the leading tab may be closed first. A read mark does
   * not wait for this, because it is also created when the page is closed.
   */
  async #submit(entry, blobs) {
    const isStored = entry.op !== 'read' && await this.#host.transact(['outbox', 'files'], 'readwrite', async (store) => {
      const files = blobs.map((blob, index) => store('files').put({ id: entry.id, index, blob }));
      await Promise.all([store('outbox').put(entry), ...files]);
      return true;
    }, false);
    this.#pass({ do: 'enqueue', entry, isStored, ...(!isStored && blobs.length > 0 && { blobs }) });
  }

  async #pass(request) {
    const { id } = request.entry;
    // Another tab may have filled the outbox.
    let isFull = false;
    for (let count = 0; count < SUBMIT_ATTEMPTS && !isFull && !this.#host.isOver; count += 1) {
      try {
        isFull = await this.#host.request(request) === false;
        if (!isFull) {
          this.#taken(id);
          return;
        }
      } catch {
        // The next leader receives the request. It also reads the stored entries.
      }
    }
    // A leader may have sent and removed it without an answer. A later read mark is as good as this one.
    if (this.#own.has(id)) this.#unplaced.set(id, request);
  }

  /** The leading tab has an entry, or has had it: another tab may have read and sent what this one has stored. */
  #taken(id) {
    if (!this.#own.delete(id)) return;
    this.#join();
    this.#host.changed();
  }

  /** The messages of a thread that are not among the newest rows of its log. */
  pending(thread, rows) {
    const ids = new Set(rows.slice(-outboxes.CAPACITY).map((row) => row.client_id));
    return outboxes.pendingOf(this.outbox, thread, (id) => ids.has(id));
  }

  /** The pending edits, deletions and reactions of a thread, by message. */
  changes(thread) {
    const result = new Map();
    for (const entry of this.outbox) {
      if (!entry.messageID || entry.thread !== thread) continue;
      result.set(entry.messageID, [...(result.get(entry.messageID) ?? []), entry]);
    }
    return result;
  }
}
