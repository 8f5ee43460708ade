// What the user of this tab sends: put into the outbox on this device, then handed to the leading tab.
import { kindOf } from './attachments.js';
import * as outboxes from './outbox.js';
import { Previews } from './previews.js';
import { uuidV7 } from './uuid.js';

/** Attempts to hand an entry to the leading tab, which may be closed meanwhile. */
const SUBMIT_ATTEMPTS = 4;

export class Outgoing {
  #host;
  #order = 0;
  /** Entries of this tab, by id, that the leading tab does not have yet. Without read marks, which nothing shows. */
  #own = new Map();
  outbox = [];
  /** How far uploads are, `{sent, total}` by the id of the message. */
  progress = new Map();
  previews;

  /** @param host `transact(…)` of the database; `request(body)` to the leading tab; `isOver`; `changed()` */
  constructor(host) {
    this.#host = host;
    this.previews = new Previews(async (id, index) =>
      (await host.transact(['files'], 'readonly', (store) => store('files').get([id, index])))?.blob, () => host.changed());
  }

  /** The leading tab has changed the outbox. */
  replaced(outbox) {
    for (const { id, order = 0 } of outbox) {
      this.#own.delete(id);
      // The clock may have been ahead when it was made.
      this.#order = Math.max(this.#order, order);
    }
    this.outbox = [...outbox, ...this.#own.values()];
    this.previews.keep(new Set(this.outbox.map((entry) => entry.id)));
    const uploading = new Set(outbox.filter((entry) => entry.state === 'uploading').map((entry) => entry.id));
    for (const id of this.progress.keys()) if (!uploading.has(id)) this.progress.delete(id);
  }

  /** The session has ended. */
  stop() {
    this.#own.clear();
    this.replaced([]);
  }

  /**
   * Adds a message; `false` if too many messages or files wait already.
   * @param files each `{name, type, size, blob, width?, height?}`
   */
  send(thread, text, { replyTo, parts, files = [] }) {
    if (!outboxes.hasRoom(this.outbox, files)) return false;
    const id = uuidV7();
    const blobs = files.map((file) => file.blob);
    const content = { id, op: 'message', thread, text, replyTo, parts };
    if (files.length > 0) content.files = files.map(({ blob, ...file }) => file);
    if (!this.add(content, blobs)) return false;
    files.forEach(({ blob, type }, index) => { if (kindOf(type) === 'picture') this.previews.set(id, index, blob); });
    return true;
  }

  /** Adds an edit, a deletion, a reaction or a read mark; `false` if too many entries wait already. */
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
   * Kept on this device first: the leading tab may be closed before it has it. A read mark is not worth the wait, since it
   * is made when the page is left too.
   */
  async #submit(entry, blobs) {
    const areKept = entry.op === 'read' || await this.#host.transact(['outbox', 'files'], 'readwrite', async (store) => {
      const files = blobs.map((blob, index) => store('files').put({ id: entry.id, index, blob }));
      await Promise.all([store('outbox').put(entry), ...files]);
      return true;
    }, false);
    const request = { do: 'enqueue', entry, ...(!areKept && blobs.length > 0 && { blobs }) };
    for (let count = 0; count < SUBMIT_ATTEMPTS && !this.#host.isOver; count += 1) {
      try {
        await this.#host.request(request);
        this.#own.delete(entry.id);
        return;
      } catch {
        // The next leader is asked; it also reads what is kept.
      }
    }
  }

  /** Messages of a thread that are not among the newest rows of its log. */
  pending(thread, rows) {
    const ids = new Set(rows.slice(-outboxes.CAPACITY).map((row) => row.client_id));
    return outboxes.pendingOf(this.outbox, thread, (id) => ids.has(id));
  }

  /** The waiting edits, deletions and reactions of a thread, by message. */
  changes(thread) {
    const result = new Map();
    for (const entry of this.outbox) {
      if (!entry.messageID || entry.thread !== thread) continue;
      result.set(entry.messageID, [...(result.get(entry.messageID) ?? []), entry]);
    }
    return result;
  }
}
