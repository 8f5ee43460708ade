// The outbox of the leading tab: sends its entries in order, until the server has them or refuses them.
import * as outboxes from './outbox.js';
import { pauseAfterRefusal, waitBefore } from './policy.js';
import { CommandError } from './socket.js';
import { Uploads } from './uploads.js';

export class Delivery {
  #host;
  #uploads;
  #isOver = false;
  outbox = [];

  /**
   * @param host `database`; `rest`; `isOpen`, whether there is a connection; `command(command, onStored)` on it;
   * `head(id)`, the thread in the list; `emit(message)` to all tabs
   */
  constructor(host) {
    this.#host = host;
    this.#uploads = new Uploads(host.database, {
      onFile: (id, index, change) => this.#fileChanged(id, index, change), onProgress: (progress) => host.emit({ progress }),
    }, host.rest);
  }

  /** Continues with the entries that this device has stored. */
  restore(entries) {
    this.outbox = outboxes.restored([...entries].sort((a, b) => a.order - b.order));
    this.#uploads.sweep();
  }

  stop() {
    this.#isOver = true;
    this.#uploads.stop();
  }

  // MARK: Requests of tabs

  /**
   * @param isStored whether the tab has stored the entry
   * @returns `false` if there are too many entries
   */
  async enqueue({ entry, blobs, isStored = false }) {
    // Either tab may have been suspended, and another one may have sent and removed the entry since.
    if (isStored && !await this.#isStored(entry)) return true;
    if (this.#isOver) throw new CommandError({ code: 'disconnected', retryable: true });
    // The answer to the first request was lost with the previous leader.
    if (this.#find(entry.id) && entry.op !== 'read') return true;
    const outbox = outboxes.withEntry(this.outbox, entry);
    if (!outbox) return false;
    if (blobs) this.#uploads.hold(entry.id, blobs);
    if (isStored) this.#replace(outbox);
    else this.#store(outbox, entry.id, true);
    this.flush();
    return true;
  }

  async #isStored(entry) {
    const stored = await this.#host.database.transact(['outbox'], 'readonly', (store) => store('outbox').get(entry.id), entry);
    return stored !== undefined;
  }

  retry(id) { this.#store(outboxes.withRetry(this.outbox, id), id); }

  discard(id) {
    const entry = this.#find(id);
    // The entry can no longer be withdrawn.
    if (!entry || entry.state === 'sending' || entry.state === 'accepted') return;
    this.#uploads.cancel(entry);
    this.#host.emit({ discarded: id });
    this.#remove(id);
    this.flush();
  }

  // MARK: The connection

  /** Handles a lost connection. */
  interrupted() { this.#replace(outboxes.interrupted(this.outbox)); }

  /** Handles the end of a `resume`, or a numbering that has started over. */
  resumed(threads) { this.outbox = outboxes.resumed(this.outbox, threads, this.#host.head); }

  /** Removes read marks that another device has passed in the meantime, since a mark also moves back. */
  dropOldMarks(threads) {
    const passed = new Map(threads.map(({ id, read_seq: seq }) => [id, seq]));
    for (const { id, op, thread, seq } of this.outbox) if (op === 'read' && seq <= passed.get(thread)) this.#remove(id);
  }

  /** Removes acknowledged changes whose events have arrived. */
  settleChanges() {
    const done = outboxes.settled(this.outbox, this.#host.head);
    for (const id of done) this.#remove(id);
    if (done.length > 0) this.flush();
  }

  /** Sends what can be sent now. */
  flush() {
    if (!this.#host.isOpen) return;
    for (const entry of outboxes.due(this.outbox, Date.now())) {
      if (!outboxes.needsUpload(entry)) this.#send(entry);
      else if (!this.#uploads.isBusy) this.#upload(entry);
    }
  }

  // MARK: Entries

  #find(id) { return this.outbox.find((each) => each.id === id); }

  #change(id, change) { this.#store(outboxes.withChange(this.outbox, id, change), id); }

  #remove(id) { this.#store(outboxes.without(this.outbox, id), id); }

  #replace(outbox) {
    this.outbox = outbox;
    this.#host.emit({ outbox });
  }

  #store(outbox, id, isNew = false) {
    const { database } = this.#host;
    this.#replace(outbox);
    const entry = this.#find(id);
    if (entry) {
      // The system may have suspended this tab, and another one may have sent and removed the entry since.
      database.transact(['outbox'], 'readwrite', async (store) => { if (isNew || await store('outbox').get(id)) store('outbox').put(entry); });
    } else {
      this.#uploads.forget(id);
      database.transact(['outbox', 'files'], 'readwrite', (store) =>
        Promise.all([store('outbox').delete(id), store('files').delete({ lower: [id, 0], upper: [id, Infinity] })]));
    }
  }

  /** Uploads the files of a message before it is sent. */
  async #upload({ id, attempts = 0 }) {
    const change = (fields) => { if (!this.#isOver && this.#find(id)) this.#change(id, fields); };
    change({ state: 'uploading' });
    try {
      await this.#uploads.upload(this.#find(id));
      change({ state: 'waiting', attempts: 0 });
    } catch (error) {
      const wait = Math.max(error.retryAfter, waitBefore(attempts, 'back-off'));
      if (error.isRetryable) change({ state: 'waiting', attempts: attempts + 1, notBefore: Date.now() + wait });
      else change({ state: 'failed', error: error.message, code: error.code, failure: error.failure });
    }
    this.flush();
  }

  #fileChanged(id, index, change) {
    if (!this.#isOver && this.#find(id)) this.#store(outboxes.withFile(this.outbox, id, index, change), id);
  }

  async #send(entry) {
    const { id } = entry;
    this.#replace(outboxes.withChange(this.outbox, id, { state: 'sending' }));
    const isMessage = entry.op === 'message';
    // A later mark of the same thread has the same ID.
    const done = () => { if (this.#find(id)?.at === entry.at) this.#remove(id); };
    try {
      const ack = await this.#host.command(outboxes.commandOf(entry), isMessage ? done : undefined);
      if (!isMessage && (entry.op === 'read' || ack.seq === undefined)) {
        done();
      } else if (this.#find(id)) {
        this.#change(id, { state: 'accepted', ...(!isMessage && { epoch: ack.epoch, seq: ack.seq }) });
        this.settleChanges();
      }
    } catch (error) {
      this.#refused(entry, error);
    }
    this.flush();
  }

  #refused({ id, op, at }, error) {
    const present = this.#find(id);
    if (present?.at !== at || error.code === 'disconnected') return;
    if (error.isRetryable) {
      this.#postpone(id, error);
    } else if (op === 'message' && error.code === 'not_found' && present.files && !present.isRenewed) {
      this.#renew(present, error);
    } else if (op === 'message' && error.code === 'conflict') {
      // No other entry has this ID: a tab with its own connection has sent it, with files that it declared itself.
      this.#remove(id);
    } else if (op === 'message') {
      this.#change(id, { state: 'failed', error: error.message, code: error.code });
    } else {
      this.#remove(id);
      if (op !== 'read') this.#host.emit({ refused: { op, code: error.code, message: error.message } });
    }
  }

  #postpone(id, { retryAfter }) { this.#change(id, { state: 'waiting', notBefore: Date.now() + pauseAfterRefusal(retryAfter) }); }

  /** Uploads the files of a message again. The server removes files after a day if no message refers to them. */
  async #renew(entry, error) {
    const { id, files } = entry;
    let hasAll = true;
    let failure = null;
    try {
      hasAll = await this.#uploads.hasAll(entry);
    } catch (each) {
      failure = each;
    }
    // The message may have been sent again in the meantime, on another connection.
    if (this.#isOver || this.#find(id) !== entry) return;
    if (failure?.isRetryable) this.#postpone(id, failure);
    else if (hasAll) this.#change(id, { state: 'failed', error: error.message, code: error.code });
    else this.#change(id, { state: 'waiting', isRenewed: true, files: files.map((file) => ({ ...file, attachment: undefined, isComplete: false })) });
  }
}
