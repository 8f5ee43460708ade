// A server with one thread, whose frames arrive when the test wants, and whose log may start over without its newest events.
import { settled } from './globals.js';
import { FakeSockets, hello } from './socket.js';

/** Events of one page of history. */
const PAGE = 5;

export class FakeServer {
  log = [];
  epoch = 'e1';
  storedTo = 0;
  readSeq = 0;
  /** The mute of the user, `{until_ms, reason}`. */
  mute = null;
  /** The time in `hello`, in milliseconds, if it has one. */
  time;
  /** For each former epoch the last place that is still valid. */
  #valid = new Map();
  #sockets = new Set();

  constructor() {
    const sockets = new FakeSockets((socket) => {
      Object.assign(socket, { queue: [], isLive: false, acks: [], onCommand: (command) => this.#command(socket, command) });
      this.#sockets.add(socket);
      queueMicrotask(() => socket.receive(hello({ threads: [this.thread], server_time: this.time })));
    });
    this.WebSocket = sockets.WebSocket;
  }

  get head() {
    return this.log.length;
  }

  get open() {
    return [...this.#sockets].filter((socket) => !socket.isClosed);
  }

  get thread() {
    const unread = this.log.filter(({ seq, sender_id: sender }) => seq > this.readSeq && sender !== 'me').length;
    return { id: 'a', title: 'A', kind: 'room', role: 'member', epoch: this.epoch, seq: this.head, unread, read_seq: this.readSeq, ...(this.mute && { mute: this.mute }) };
  }

  /** A moderator mutes the user, or ends that. Every socket of the user learns it, whether it is resumed or not. */
  setMute(mute) {
    this.mute = mute;
    for (const socket of this.open) socket.queue.push({ type: 'mute', thread_id: 'a', mute });
  }

  /** The REST API. */
  fetch = async (path) => {
    const body = path.startsWith('/v1/threads/') ? this.thread : path.startsWith('/v1/threads') ? { threads: [this.thread] } : {};
    return { ok: true, status: 200, headers: new Headers(), text: async () => JSON.stringify(body) };
  };

  append(sender, text, clientID) {
    const seq = this.head + 1;
    const event = {
      type: 'message', thread_id: 'a', epoch: this.epoch, seq, date_ms: seq, id: `${this.epoch}-${seq}`, text, sender_id: sender, client_id: clientID,
    };
    this.log.push(event);
    if (sender === 'me') this.readSeq = seq;
    this.#send(event);
    return event;
  }

  #send(frame) {
    for (const socket of this.#sockets) if (socket.isLive) socket.queue.push(frame);
  }

  /** Everything up to here is kept whatever happens. */
  store() {
    this.storedTo = this.head;
    for (const socket of this.#sockets) for (const { ref } of socket.acks.splice(0)) socket.queue.push({ type: 'ack', level: 'stored', ref });
  }

  /** The log is lost; what is stored begins a new one. */
  rollBack() {
    const former = this.head;
    const epoch = `e${Number(this.epoch.slice(1)) + 1}`;
    this.#valid.set(this.epoch, Infinity);
    for (const [each, seq] of this.#valid) this.#valid.set(each, Math.min(seq, this.storedTo));
    this.log.length = this.storedTo;
    this.readSeq = Math.min(this.readSeq, this.storedTo);
    this.epoch = epoch;
    const isWhole = former === this.head;
    for (const socket of this.#sockets) socket.acks.length = 0;
    this.#send({ type: 'resumed', threads: { a: { state: isWhole ? 'live' : 'rolled_back', epoch, from: this.head + 1, to: former } } });
  }

  /** The client reads too slowly: events that wait for it are left out. */
  leaveOut(socket) {
    const events = socket.queue.filter(({ type }) => type === 'message');
    if (events.length === 0 || socket.queue.some(({ type }) => type === 'resumed')) return;
    socket.queue = socket.queue.filter(({ type }) => type !== 'message');
    socket.queue.push({ type: 'behind', threads: { a: { from: events[0].seq, to: events.at(-1).seq } } });
  }

  /** Delivers the oldest frames of a socket. Promises go on after each of them, as in a browser. */
  async deliver(socket, count = 1) {
    for (const frame of socket.queue.splice(0, count)) {
      if (socket.isClosed) return;
      socket.receive(frame);
      await settled(20);
    }
  }

  #command(socket, { ref, ...command }) {
    const [[name, fields]] = Object.entries(command);
    const reply = (frame) => socket.queue.push({ ...frame, ref });
    if (name === 'resume') reply(this.#resumed(socket, fields.threads.a));
    else if (name === 'message') this.#message(socket, fields, ref);
    else if (name === 'history') reply(this.#page(fields));
    else if (name === 'ping') reply({ type: 'pong' });
    else if (name === 'read') this.#read(fields.seq, reply);
    else reply({ type: 'ack' });
  }

  #read(seq, reply) {
    this.readSeq = Math.max(this.readSeq, Math.min(seq, this.head));
    reply({ type: 'ack' });
    this.#send({ type: 'read', thread_id: 'a', user_id: 'me', read_seq: this.readSeq, date: 0 });
  }

  #message(socket, { text, client_id: id }, ref) {
    const known = this.log.find((event) => event.client_id === id) ?? this.append('me', text, id);
    socket.queue.push({ type: 'ack', level: 'accepted', ref });
    if (known.seq <= this.storedTo) socket.queue.push({ type: 'ack', level: 'stored', ref });
    else socket.acks.push({ ref });
  }

  #resumed(socket, position) {
    socket.isLive = true;
    if (!position) return { type: 'resumed', threads: {} };
    const { epoch, seq } = position;
    const valid = epoch === this.epoch ? Infinity : this.#valid.get(epoch);
    if (seq > valid) return { type: 'resumed', threads: { a: { state: 'rolled_back', epoch: this.epoch, from: valid + 1, to: seq } } };
    const missing = this.log.slice(seq);
    socket.queue.push(...missing);
    return { type: 'resumed', threads: { a: { state: missing.length ? 'replayed' : 'live', epoch: this.epoch, from: seq + 1, to: this.head } } };
  }

  #page({ after, before = Infinity }) {
    const all = this.log.filter(({ seq }) => seq > (after ?? 0) && seq < before);
    const events = after === undefined ? all.slice(-PAGE) : all.slice(0, PAGE);
    return {
      type: 'page', thread_id: 'a', epoch: this.epoch, events, head_seq: this.head,
      has_more_before: events.length > 0 && events[0].seq > 1, has_more_after: events.length > 0 && events.at(-1).seq < this.head,
    };
  }
}
