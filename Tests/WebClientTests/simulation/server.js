// A server for one user, `me`, whose threads are shared with `bob`. It does what docs/PROTOCOL.md allows it to do, at
// moments that a seed draws: it disconnects, omits, forgets, repeats and rolls back.
import { Link, webSocketOf } from './link.js';
import { RestAPI } from './restAPI.js';
import { Room } from './room.js';

/** More missing events than this are not replayed. */
const REPLAY = 20;
/** The most events of a page. */
const PAGE = 25;

/** The least time between two ends of credentials, in milliseconds. */
const LIFETIME = 120_000;

const DEFECTS = ['rate_limited', 'unavailable', 'lost'];

export class Server {
  rooms = new Map(['a', 'b'].map((id) => [id, new Room(id)]));
  links = new Set();
  /** Whether it cannot be reached. */
  isDown = false;
  /** Whether it refuses sockets, but not calls. */
  refusesSockets = false;
  /** The percentage of commands, handshakes and calls that fail. */
  faults = 0;
  /** The tokens from this one on are valid. */
  generation = 1;
  /** The largest number of sockets at the same time. */
  accepted = 0;
  scheduler;
  #tickets = new Map();
  #expiredAt = -LIFETIME;

  constructor(scheduler) {
    this.scheduler = scheduler;
    this.rest = new RestAPI(this);
    this.WebSocket = webSocketOf(this, scheduler);
  }

  get fetch() { return this.rest.fetch; }

  get time() { return 1.7e12 + this.scheduler.now; }

  get open() { return [...this.links].filter(({ isOpen }) => isOpen); }

  isValid(token) { return token === `Bearer t${this.generation}`; }

  ticket(lifetime, isOneTime) {
    const ticket = `ticket${this.#tickets.size}`;
    this.#tickets.set(ticket, { until: this.scheduler.now + lifetime, isOneTime, generation: this.generation });
    return ticket;
  }

  // MARK: Handshakes

  opened(socket) {
    const { scheduler } = this;
    const refuse = () => scheduler.at(scheduler.random(100), socket.process, () => socket.ended(1006));
    // The client hears nothing, and gives up.
    if (this.isDown && scheduler.chance(10)) return;
    if (this.isDown || this.refusesSockets || scheduler.chance(this.faults) || !this.#admits(socket)) {
      refuse();
      return;
    }
    const link = new Link(scheduler, socket, () => this.#drained(link));
    socket.link = link;
    link.generation = this.generation;
    this.links.add(link);
    this.accepted = Math.max(this.accepted, this.open.length);
    for (const room of this.rooms.values()) this.#endMute(room);
    const threads = [...this.rooms.values()].map((room) => room.thread);
    for (const { id, epoch, seq, unavailable } of threads) {
      link.rooms.set(id, { sent: seq, epoch, isUnavailable: unavailable === true, position: null, behindFrom: null });
    }
    link.send({ type: 'hello', protocol: 2, connection: 'c', node: 'n', user: { id: 'me', username: 'me' }, ping_interval_ms: 25_000, server_time: this.time, threads });
    scheduler.at(1_000, null, () => { if (link.isOpen) this.#begin(link); });
  }

  #admits({ url }) {
    const ticket = new URL(url).searchParams.get('ticket');
    if (!ticket) return this.rest.hasCookies;
    const known = this.#tickets.get(ticket);
    if (known?.isOneTime) this.#tickets.delete(ticket);
    return known !== undefined && known.until > this.scheduler.now && known.generation === this.generation;
  }

  /** The live events begin, above what `hello` has told. */
  #begin(link) {
    if (link.hasBegun) return;
    link.hasBegun = true;
    const threads = Object.fromEntries([...link.rooms].map(([id, state]) => [id, this.#begun(this.rooms.get(id), state)]).filter(([, each]) => each));
    if (Object.keys(threads).length > 0) link.send({ type: 'resumed', threads });
    for (const room of this.rooms.values()) this.deliver(room);
  }

  /** What is to be said of a room without a position to resume from. */
  #begun(room, state) {
    if (room.isUnavailable) {
      if (!state.isUnavailable) state.position = { epoch: state.epoch, seq: state.sent };
      state.isUnavailable = true;
      return { state: 'unavailable' };
    }
    if (state.isUnavailable) {
      state.isUnavailable = false;
      state.sent = room.head;
      return this.#position(room, { epoch: room.epoch, seq: 0 }, true);
    }
    const valid = room.validTo(state.epoch);
    if (state.epoch === '' || state.sent <= valid) return null;
    const result = { state: 'rolled_back', ...this.#epoch(room), from: valid + 1, to: state.sent };
    state.sent = room.head;
    return result;
  }

  #epoch(room) { return room.head > 0 ? { epoch: room.epoch } : {}; }

  // MARK: Frames of the client

  received(socket, text) {
    const { link } = socket;
    const { ref, ...command } = JSON.parse(text);
    const [[name, fields]] = Object.entries(command);
    const reply = (frame) => link.send(ref === undefined ? frame : { ...frame, ref });
    const refuse = (code, more) => reply({ type: 'error', code, message: code, retryable: false, ...more });
    if (name === 'resume') {
      if (link.hasBegun) refuse('bad_request');
      else this.#resume(link, fields.threads, reply);
      return;
    }
    this.#begin(link);
    if (name === 'ping') {
      reply({ type: 'pong', ping: fields, server_time: this.time });
      return;
    }
    const room = this.rooms.get(fields.id);
    if (room === undefined) {
      reply({ type: 'ack' });
      return;
    }
    const isRetryable = { retryable: true, ...(this.scheduler.chance(50) && { retry_after_ms: 1 + this.scheduler.random(2_000) }) };
    const defect = room.isUnavailable ? 'unavailable' : this.scheduler.chance(this.faults) && this.scheduler.pick(DEFECTS);
    if (defect === 'rate_limited' || defect === 'unavailable') refuse(defect, isRetryable);
    else if (defect) this.#execute(link, room, name, fields, ref, (frame) => { if (frame.level !== 'stored') refuse('unavailable', isRetryable); });
    else this.#execute(link, room, name, fields, ref, reply);
  }

  #execute(link, room, name, fields, ref, reply) {
    const refuse = (code) => reply({ type: 'error', code, message: code, retryable: false });
    const actions = {
      message: () => this.#message(link, room, fields, ref, reply, refuse),
      history: () => reply(room.page(fields, PAGE)),
      edit: () => this.#change(room, fields, 'edited', { text: fields.text, by_id: 'me' }, reply, refuse),
      delete: () => this.#change(room, fields, 'deleted', { by_id: 'me' }, reply, refuse),
      react: () => this.#change(room, fields, 'reaction', { user_id: 'me', emoji: fields.emoji, on: fields.on }, reply, refuse),
      read: () => {
        room.read(fields.seq);
        reply({ type: 'ack' });
        for (const each of this.open) if (each.hasBegun) each.send({ type: 'read', thread_id: room.id, user_id: 'me', read_seq: room.readSeq, date: 1 });
      },
    };
    if (actions[name]) actions[name]();
    else reply({ type: 'ack' });
  }

  #message(link, room, { text, client_id: id, parts = [], reply_to: replyTo }, ref, reply, refuse) {
    const files = parts.map(({ attachment }) => attachment);
    if (text.startsWith('!')) {
      refuse('forbidden');
      return;
    }
    if (!files.every((each) => this.rest.has(each))) {
      refuse('not_found');
      return;
    }
    const fields = { text, client_id: id, ...(replyTo && { reply_to: replyTo }), ...(files.length > 0 && { parts: files.map((each) => ({ type: 'image/png', url: `/v1/attachments/${each}` })) }) };
    const { event, isRepeat } = room.accept(this.time, 'me', fields);
    if (isRepeat && (event.text !== text || JSON.stringify(event.parts) !== JSON.stringify(fields.parts))) {
      refuse('conflict');
      return;
    }
    const ack = { type: 'ack', thread_id: room.id, epoch: event.epoch, seq: event.seq, date_ms: event.date_ms, id: event.id, client_id: id, ...(isRepeat && { repeat: true }) };
    this.rest.use(files);
    const isEventFirst = this.scheduler.chance(50);
    if (isEventFirst) this.deliver(room);
    reply({ ...ack, level: 'accepted' });
    if (event.seq <= room.storedTo) reply({ ...ack, level: 'stored' });
    else link.acks.push({ room, seq: event.seq, send: () => reply({ ...ack, level: 'stored' }) });
    if (!isEventFirst) this.deliver(room);
  }

  #change(room, { message_id: id }, type, fields, reply, refuse) {
    const message = room.message(id);
    if (message?.deleted && type === 'deleted') {
      reply({ type: 'ack', thread_id: room.id });
      return;
    }
    if (!message || message.deleted) {
      refuse('not_found');
      return;
    }
    const { epoch, seq, date_ms } = room.append(this.time, type, { message_id: id, message_seq: message.seq, ...fields });
    reply({ type: 'ack', thread_id: room.id, epoch, seq, date_ms });
    this.deliver(room);
  }

  // MARK: Mutes

  /** A moderator mutes the user in a room, or ends that (`null`). Every socket of the user learns it. */
  setMute(room, mute) {
    room.mute = mute;
    this.scheduler.note(`the mute of ${room.id} is ${JSON.stringify(mute)}`);
    for (const link of this.open) link.send({ type: 'mute', thread_id: room.id, mute });
  }

  /** Nothing is sent when the time of a mute is over. */
  #endMute(room) {
    if (room.mute?.until_ms <= this.time) room.mute = null;
  }

  /** The mute of a room that is in force. */
  muteOf(room) {
    this.#endMute(room);
    return room.mute;
  }

  // MARK: Resuming

  #resume(link, positions, reply) {
    link.hasBegun = true;
    const threads = {};
    for (const [id, state] of link.rooms) {
      const room = this.rooms.get(id);
      state.position = positions[id] ?? null;
      const result = state.position ? this.#resumed(link, room, state) : this.#begun(room, state);
      if (result) threads[id] = result;
    }
    reply({ type: 'resumed', threads });
    for (const room of this.rooms.values()) this.deliver(room);
  }

  #resumed(link, room, state) {
    state.isUnavailable = room.isUnavailable;
    if (room.isUnavailable) return { state: 'unavailable' };
    const result = this.#position(room, state.position, false);
    if (result.state === 'replayed') for (const event of room.after(state.position.seq)) link.send(event);
    state.sent = room.head;
    return result;
  }

  /** Where a client that has everything up to a position continues. */
  #position(room, { epoch, seq }, isLate) {
    const valid = seq === 0 ? 0 : room.validTo(epoch);
    if (seq > valid) return { state: 'rolled_back', ...this.#epoch(room), from: valid + 1, to: seq };
    const missing = room.head - seq;
    const state = missing === 0 ? 'live' : isLate || missing > REPLAY || this.scheduler.chance(this.faults) ? 'page' : 'replayed';
    return { state, ...this.#epoch(room), from: seq + 1, to: room.head };
  }

  // MARK: Events

  /** Sends the live events of a room, or leaves them out. */
  deliver(room) {
    for (const link of this.links) {
      const state = link.rooms.get(room.id);
      if (!link.isOpen || !link.hasBegun || state.isUnavailable || room.isUnavailable) continue;
      while (state.sent < room.head) {
        if (link.isFull) {
          state.behindFrom ??= state.sent + 1;
          state.sent = room.head;
          break;
        }
        this.#sayBehind(link, room, state);
        state.sent += 1;
        link.send(room.log[state.sent - 1]);
      }
      if (!link.isFull) this.#sayBehind(link, room, state);
    }
  }

  /** There is room for what was left out. */
  #drained(link) {
    for (const [id, state] of link.rooms) if (link.isOpen && state.behindFrom !== null) this.deliver(this.rooms.get(id));
  }

  #sayBehind(link, room, state) {
    if (state.behindFrom === null) return;
    link.send({ type: 'behind', threads: { [room.id]: { from: state.behindFrom, to: state.sent } } });
    state.behindFrom = null;
  }

  /** The database catches up with the log. */
  store(room) {
    room.store();
    for (const link of this.open) {
      const due = link.acks.filter((each) => each.room === room);
      link.acks = link.acks.filter((each) => each.room !== room);
      for (const { send } of due) send();
    }
  }

  loseLog(room) {
    if (room.isUnavailable) return;
    room.loseLog();
    this.scheduler.note(`the log of ${room.id} is lost, ${room.head} events are left`);
    for (const link of this.open) {
      link.acks = link.acks.filter((each) => each.room !== room);
      const state = link.rooms.get(room.id);
      if (!link.hasBegun || state.isUnavailable) continue;
      if (state.sent > room.head) {
        link.send({ type: 'resumed', threads: { [room.id]: { state: 'rolled_back', ...this.#epoch(room), from: room.head + 1, to: state.sent } } });
        state.behindFrom = null;
      } else {
        link.send({ type: 'resumed', threads: { [room.id]: { state: 'live', epoch: room.epoch, from: room.head + 1, to: room.head } } });
      }
      state.sent = room.head;
    }
  }

  setUnavailable(room, isUnavailable) {
    room.isUnavailable = isUnavailable;
    this.scheduler.note(`${room.id} is ${isUnavailable ? 'unavailable' : 'available'}`);
    if (isUnavailable) return;
    for (const link of this.open) {
      const state = link.rooms.get(room.id);
      if (!link.hasBegun || !state.isUnavailable) continue;
      state.isUnavailable = false;
      link.send({ type: 'resumed', threads: { [room.id]: this.#position(room, state.position ?? { epoch: room.epoch, seq: 0 }, true) } });
      state.sent = room.head;
    }
    this.deliver(room);
  }

  /** The credentials expire. Clients take new ones that are refused soon for a sign-out. */
  expire() {
    if (this.scheduler.now < this.#expiredAt + LIFETIME) return;
    this.#expiredAt = this.scheduler.now;
    this.generation += 1;
    for (const link of this.open) if (link.generation < this.generation) link.close(4100);
  }

  /** The node drains. */
  bye(link) {
    const delay = this.scheduler.random(4_000);
    link.send({ type: 'bye', reconnect_after_ms: delay, ticket: this.ticket(600_000, false) });
    this.scheduler.at(delay, null, () => link.close(4200));
  }
}
