// A thread of the simulated server: its log, the messages in their current state, and what is lost with the log.

export class Room {
  epoch = 'e1';
  log = [];
  /** The database has the events up to this place. */
  storedTo = 0;
  readSeq = 0;
  /** Whether the log cannot be reached. */
  isUnavailable = false;
  hasLostLog = false;
  /** Whether the last read mark was below the one before, which clients need not show. */
  isReadBack = false;
  /** The mute of the user, `{until_ms, reason}`, or `null`. */
  mute = null;
  /** For each former epoch the last place that is still valid. */
  #valid = new Map();
  #receipts = new Map();
  #names = 0;

  constructor(id) {
    this.id = id;
  }

  get head() { return this.log.length; }

  get messages() { return this.log.filter(({ type }) => type === 'message').map((event) => this.#current(event)); }

  message(id) { return this.messages.find((each) => each.id === id); }

  get unread() {
    return this.messages.filter(({ seq, sender_id: sender, deleted }) => seq > this.readSeq && sender !== 'me' && !deleted).length;
  }

  append(now, type, fields) {
    const event = { type, thread_id: this.id, epoch: this.epoch, seq: this.head + 1, date: Math.floor(now / 1000), date_ms: now, ...fields };
    this.log.push(event);
    return event;
  }

  /** A message; `null` if it is a repeat under its ID. */
  accept(now, sender, fields) {
    const first = fields.client_id && this.#receipts.get(`${sender} ${fields.client_id}`);
    if (first) return { event: first, isRepeat: true };
    this.#names += 1;
    const event = this.append(now, 'message', { id: `${this.id}-${this.epoch}-${this.#names}`, sender_id: sender, sender_name: sender, ...fields });
    if (fields.client_id) this.#receipts.set(`${sender} ${fields.client_id}`, event);
    if (sender === 'me') this.read(event.seq);
    return { event, isRepeat: false };
  }

  /** A read mark, which may also move back: two devices may have made marks at the same time. */
  read(seq = this.head) {
    const next = Math.min(seq, this.head);
    this.isReadBack = next < this.readSeq || (this.isReadBack && next === this.readSeq);
    this.readSeq = next;
  }

  store() { this.storedTo = this.head; }

  /** The log is lost; what is stored begins a new one. */
  loseLog() {
    this.#valid.set(this.epoch, Infinity);
    for (const [epoch, seq] of this.#valid) this.#valid.set(epoch, Math.min(seq, this.storedTo));
    this.hasLostLog ||= this.storedTo < this.head;
    this.log.length = this.storedTo;
    this.readSeq = Math.min(this.readSeq, this.head);
    this.epoch = `e${Number(this.epoch.slice(1)) + 1}`;
    for (const [name, { seq }] of this.#receipts) if (seq > this.head) this.#receipts.delete(name);
  }

  /** The last place of an epoch that is valid. */
  validTo(epoch) { return epoch === this.epoch ? Infinity : this.#valid.get(epoch) ?? 0; }

  /** A message in its current state, from the events after it. */
  #current(message) {
    let state = message;
    for (const event of this.log.slice(message.seq)) {
      if (event.message_seq !== message.seq || state.deleted) continue;
      if (event.type === 'edited') state = { ...state, text: event.text, edited_ms: event.date_ms };
      else if (event.type === 'deleted') state = { ...state, text: '', parts: undefined, reactions: undefined, deleted: true };
      else if (event.type === 'reaction') state = { ...state, reactions: Room.#reacted(state.reactions ?? [], event) };
    }
    return state;
  }

  static #reacted(reactions, { user_id: user, emoji, on }) {
    const users = new Set(reactions.find((each) => each.emoji === emoji)?.users ?? []);
    if (on) users.add(user);
    else users.delete(user);
    const others = reactions.filter((each) => each.emoji !== emoji);
    return users.size > 0 ? [...others, { emoji, count: users.size, users: [...users].sort() }] : others;
  }

  /** An event as it is read back: messages and edits in their current state. */
  readBack(event) {
    if (event.type === 'message') return this.#current(event);
    if (event.type !== 'edited') return event;
    return { ...event, text: this.#current(this.log[event.message_seq - 1]).text };
  }

  after(seq) { return this.log.slice(seq).map((event) => this.readBack(event)); }

  /** The answer to `history`. */
  page({ before = Infinity, after, limit }, most) {
    const all = this.log.filter(({ seq }) => seq > (after ?? 0) && seq < before);
    const count = Math.min(limit, most);
    const part = after === undefined ? all.slice(-count) : all.slice(0, count);
    return {
      type: 'page', thread_id: this.id, epoch: this.head > 0 ? this.epoch : '', events: part.map((event) => this.readBack(event)), head_seq: this.head,
      has_more_before: part.length > 0 && part[0].seq > 1, has_more_after: part.length > 0 && part.at(-1).seq < this.head,
    };
  }

  /** The thread in `hello` and in lists. */
  get thread() {
    const position = this.isUnavailable ? { epoch: '', seq: 0, unavailable: true } : { epoch: this.head > 0 ? this.epoch : '', seq: this.head };
    return { id: this.id, title: this.id, kind: 'room', role: 'member', ...position, unread: this.unread, read_seq: this.readSeq, ...(this.mute && { mute: this.mute }) };
  }

  get listed() { return { ...this.thread, last_message: this.messages.at(-1) ?? null }; }
}
