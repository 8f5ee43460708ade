// The messages of one thread, kept up to date: first the log with pending changes, then the outbox.
import { overlaid } from './outbox.js';

/** A message of the log, with its pending changes. */
const logged = (row, changes, outbox, me) => {
  const waiting = changes.get(row.id);
  const message = waiting ? overlaid(row, waiting, me.id) : row;
  const isUnstored = row.client_id && outbox.some((entry) => entry.id === row.client_id);
  return {
    kind: row.type, id: row.id, seq: row.seq, clientID: row.client_id ?? null, senderID: row.sender_id ?? row.user_id,
    senderName: row.sender_name ?? row.username ?? '', senderDisplayName: row.sender_display_name ?? null, text: message.text ?? '', parts: message.parts ?? [], reactions: message.reactions ?? [],
    replyTo: row.reply_to ?? null, date: new Date(row.date_ms), isEdited: message.edited_ms !== undefined,
    isDeleted: Boolean(message.deleted || message.erased), state: isUnstored ? 'accepted' : 'stored', isChanging: waiting !== undefined, error: null,
  };
};

/** A message of the outbox. */
const waiting = (entry, me) => ({
  kind: 'message', id: null, seq: null, clientID: entry.id, senderID: me.id, senderName: me.username, senderDisplayName: null, text: entry.text,
  parts: entry.parts ?? entry.files ?? [], reactions: [], replyTo: entry.replyTo ?? null, date: new Date(entry.at), isEdited: false,
  isDeleted: false, state: entry.state === 'failed' ? 'failed' : 'pending', isChanging: false, error: entry.code ?? null,
});

export class Collection {
  #client;
  #conversations;
  #listeners = new Set();
  items = [];

  /** @param client has `me` and `outbox` @param conversations show the thread with the ID */
  constructor(id, client, conversations) {
    this.#client = client;
    this.#conversations = conversations;
    conversations.open(id);
    conversations.onChange = () => this.#changed();
  }

  /** Whether the messages are loaded. */
  get isLoaded() { return this.#conversations.timeline.isLoaded; }

  get hasOlder() { return this.isLoaded && this.#conversations.timeline.from > 1; }

  get hasNewer() { return !this.#conversations.isAtHead; }

  /** The code of the error for which the thread cannot be shown. */
  get error() { return this.#conversations.threadError?.code ?? null; }

  /** Calls `listener(items)` now and after each change. @returns a function that ends this */
  subscribe(listener) {
    this.#listeners.add(listener);
    listener(this.items);
    return () => this.#listeners.delete(listener);
  }

  loadOlder() { return this.#conversations.loadOlder(); }

  loadNewer() { return this.#conversations.loadNewer(); }

  /** Shows the part of the log around `seq`. */
  jump(seq) { return this.#conversations.jump(seq); }

  toNewest() { return this.#conversations.toNewest(); }

  close() {
    this.#listeners.clear();
    this.#conversations.close();
  }

  #changed() {
    const { timeline: { rows }, changes, pending } = this.#conversations;
    const { me, outbox } = this.#client;
    this.items = [...rows.map((row) => logged(row, changes, outbox, me)), ...pending.map((entry) => waiting(entry, me))];
    for (const listener of [...this.#listeners]) listener(this.items);
  }
}
