// One life of a user's devices and of a server, and what must hold at its end.
import { createClient } from '../../../Sources/CWebClient/files/client/index.js';
import { Device } from './device.js';
import { SimulatedFile } from './restAPI.js';
import { Scheduler } from './scheduler.js';
import { Server } from './server.js';
import { differences } from './verdict.js';

/** The number of actions of the user, of others and of fate. */
const STEPS = 260;
/** The time after which everything must have settled once nothing fails any longer, in milliseconds. */
const PATIENCE = 600_000;
const EMOJIS = ['A', 'B'];

/** A client in a process, with what its user has done. */
class Person {
  client = null;
  collections = new Map();
  isReady = false;

  constructor(process) {
    this.process = process;
  }
}

export class World {
  people = [];
  /** Each `{id, text, thread, person, hasFile, isRefused, outcome}`. */
  sends = [];
  /** The edits, deletions and reactions of messages, each `{op, thread, messageID, …}`. */
  changes = [];
  refusals = 0;
  #scheduler;
  #server;
  #devices;
  #isTabbed;
  #credentials;

  /** @param trace is called with what happens */
  constructor(seed, trace = () => {}) {
    this.#scheduler = new Scheduler(seed);
    this.#scheduler.trace = trace;
    this.#server = new Server(this.#scheduler);
    this.#isTabbed = this.#scheduler.chance(50);
    this.#credentials = this.#scheduler.pick(['token', 'tokens', 'cookie']);
    this.#server.rest.hasCookies = this.#credentials === 'cookie';
    this.#server.faults = this.#scheduler.pick([0, 3, 12]);
    const count = this.#scheduler.pick([1, 1, 1, 2]);
    this.#devices = Array.from({ length: count }, (_, index) => new Device(this.#scheduler, `device${index + 1}`));
  }

  get server() { return this.#server; }

  get isTabbed() { return this.#isTabbed; }

  /** Runs the life. @returns what is wrong at its end */
  async live() {
    const scheduler = this.#scheduler;
    const rejected = (error) => scheduler.failures.push(`not handled: ${error?.stack ?? error}`);
    globalThis.process.on('unhandledRejection', rejected);
    scheduler.install({
      navigator: { get locks() { return scheduler.current?.device.locks; } },
      BroadcastChannel: class { constructor(name) { return scheduler.current.device.channel(name); } },
      document: undefined,
    });
    try {
      for (const device of this.#devices) await this.#open(device);
      for (let step = 0; step < STEPS && scheduler.failures.length === 0; step += 1) {
        await this.#step();
        await scheduler.pass(scheduler.chance(5) ? scheduler.random(20_000) : scheduler.random(700));
      }
      await this.#settle();
      return scheduler.failures.length > 0 ? scheduler.failures : differences(this);
    } finally {
      for (const { client } of this.people) client?.close();
      scheduler.uninstall();
      await new Promise((resolve) => { setImmediate(resolve); });
      globalThis.process.off('unhandledRejection', rejected);
    }
  }

  get living() { return this.people.filter(({ process }) => !process.isDead); }

  // MARK: Starts and ends

  async #open(device) {
    const person = new Person(device.launch());
    this.people.push(person);
    await this.#scheduler.run(person.process, () => {
      person.client = createClient({
        url: 'http://server', storage: device.storage, tabs: this.#isTabbed, WebSocket: this.#server.WebSocket, fetch: this.#server.fetch,
        ...this.#token(),
      });
      person.client.on('error', () => { this.refusals += 1; });
      person.client.on('signedOut', () => this.#scheduler.failures.push(`${person.process.name} is signed out`));
      person.client.ready.then(() => {
        person.isReady = true;
        for (const id of this.#server.rooms.keys()) this.#show(person, id);
      }, (error) => error.code === 'closed' || this.#scheduler.failures.push(`${person.process.name} does not start: ${error.stack}`));
    });
  }

  #token() {
    if (this.#credentials === 'cookie') return {};
    return { token: this.#credentials === 'token' ? 't1' : async () => `t${this.#server.generation}` };
  }

  #show(person, id) {
    person.collections.get(id)?.close();
    const collection = person.client.messages(id);
    collection.subscribe(() => {});
    person.collections.set(id, collection);
  }

  // MARK: Steps

  /** Something happens. */
  async #step() {
    const scheduler = this.#scheduler;
    const room = scheduler.pick([...this.#server.rooms.values()]);
    const [link] = this.#server.open.length > 0 ? [scheduler.pick(this.#server.open)] : [];
    const number = scheduler.random(100);
    if (number < 26) await this.#act((person) => this.#send(person, room.id));
    else if (number < 38) await this.#act((person) => this.#change(person, room.id));
    else if (number < 44) await this.#act((person) => this.#look(person, room.id));
    else if (number < 60) this.#others(room);
    else if (number < 70) this.#server.store(room);
    else if (number < 72) this.#server.loseLog(room);
    else if (number < 78) link?.cut(scheduler.chance(25));
    else if (number < 82) this.#close(link);
    else if (number < 85) this.#goDown();
    else if (number < 87) this.#leave(room);
    else if (number < 88) this.#server.rest.forgetFiles();
    else if (number < 92) await this.#restart();
    else if (number < 94) this.#suspend();
    else if (number < 95) this.#fill();
    else if (number < 98) this.#mute(room);
  }

  /** The user does something in one of the tabs. */
  async #act(action) {
    const ready = this.living.filter(({ isReady, process }) => isReady && process.asleepUntil <= this.#scheduler.now);
    if (ready.length === 0) return;
    const person = this.#scheduler.pick(ready);
    await this.#scheduler.run(person.process, () => {
      try {
        action(person);
      } catch (error) {
        if (error.code !== 'outbox_full') throw error;
      }
    });
  }

  #send(person, thread) {
    const scheduler = this.#scheduler;
    const isRefused = scheduler.chance(4);
    const hasFile = !isRefused && scheduler.chance(12);
    const text = `${isRefused ? '!' : ''}${person.process.name} ${this.sends.length}`;
    const files = hasFile ? [new SimulatedFile(1_000 + scheduler.random(20_000_000))] : [];
    const { id, stored } = person.client.send(thread, text, { files });
    const send = { id, text, thread, person, hasFile, isRefused, outcome: null };
    this.sends.push(send);
    scheduler.note(person.process.name, 'sends', text, id);
    stored.then(() => {
      send.outcome = 'stored';
      scheduler.note(person.process.name, 'knows as stored', text);
      const event = this.#server.rooms.get(thread).log.find((each) => each.client_id === id);
      if (!event || event.seq > this.#server.rooms.get(thread).storedTo) scheduler.failures.push(`“${text}” is called stored, and is not`);
    }, (error) => { send.outcome = error.code; });
  }

  #change(person, thread) {
    const scheduler = this.#scheduler;
    const items = person.collections.get(thread).items.filter(({ id, isDeleted, senderID }) => id && !isDeleted && senderID === 'me');
    if (items.length === 0) return;
    const { id: messageID } = scheduler.pick(items);
    const number = scheduler.random(4);
    const change = { thread, messageID, person };
    if (number === 0) {
      change.text = `edit ${this.changes.length}`;
      person.client.edit(thread, messageID, change.text);
    } else if (number === 1) {
      person.client.remove(thread, messageID);
    } else {
      [change.emoji, change.on] = [scheduler.pick(EMOJIS), number === 2];
      person.client.react(thread, messageID, change.emoji, change.on);
    }
    this.changes.push({ op: ['edit', 'delete', 'react', 'react'][number], ...change });
  }

  /** Reads, scrolls, writes. */
  #look(person, thread) {
    const scheduler = this.#scheduler;
    const { client } = person;
    const collection = person.collections.get(thread);
    const failed = collection.items.find(({ state }) => state === 'failed');
    const quietly = (promise) => promise?.catch(() => {});
    scheduler.pick([
      () => client.markRead(thread), () => client.markRead(thread), () => client.setTyping(thread), () => quietly(client.watch(['bob'])),
      () => collection.loadOlder(), () => collection.jump(1 + scheduler.random(60)), () => collection.toNewest(), () => collection.loadNewer(),
      () => this.#show(person, thread), () => client.wake(), () => quietly(failed && client.retry(failed.clientID)),
    ])();
  }

  /** Another user writes, changes messages, or joins. */
  #others(room) {
    const scheduler = this.#scheduler;
    if (room.isUnavailable) return;
    const time = this.#server.time;
    const count = scheduler.chance(8) ? 40 : 1;
    const target = room.messages.filter(({ deleted }) => !deleted).at(-1);
    if (count === 1 && target && scheduler.chance(40)) {
      const change = { message_id: target.id, message_seq: target.seq };
      const emoji = scheduler.pick(EMOJIS);
      scheduler.pick([
        () => room.append(time, 'reaction', { ...change, user_id: 'bob', emoji, on: scheduler.chance(60) }),
        () => room.append(time, 'edited', { ...change, text: `bob ${room.head}`, by_id: 'bob' }),
        () => room.append(time, 'deleted', { ...change, by_id: 'bob' }),
        () => room.append(time, 'joined', { user_id: 'carol', username: 'carol', by_id: 'carol' }),
        () => room.append(time, 'pinned', { future: [1, null] }),
      ])();
    } else {
      for (let each = 0; each < count; each += 1) room.accept(time, 'bob', { text: `bob ${room.head}` });
    }
    this.#server.deliver(room);
  }

  /** A moderator mutes the user, for some time or without an end, or ends that. */
  #mute(room) {
    const scheduler = this.#scheduler;
    const mute = { ...(scheduler.chance(70) && { until_ms: this.#server.time + scheduler.random(120_000) }), ...(scheduler.chance(50) && { reason: `reason ${scheduler.random(9)}` }) };
    this.#server.setMute(room, scheduler.chance(30) ? null : mute);
  }

  // MARK: Faults

  #close(link) {
    const scheduler = this.#scheduler;
    if (!link) return;
    if (scheduler.chance(30)) this.#server.bye(link);
    else if (scheduler.chance(25) && this.#credentials === 'tokens') this.#server.expire();
    else link.close(scheduler.pick([1001, 1009, 1011, 1013, 4250, 4300]));
  }

  #goDown() {
    this.#server.isDown = true;
    for (const link of this.#server.open) link.cut(this.#scheduler.chance(20));
    this.#scheduler.at(this.#scheduler.random(40_000), null, () => { this.#server.isDown = false; });
  }

  #leave(room) {
    if (room.isUnavailable) return;
    this.#server.setUnavailable(room, true);
    this.#scheduler.at(this.#scheduler.random(20_000), null, () => { if (room.isUnavailable) this.#server.setUnavailable(room, false); });
  }

  /** A tab opens or is closed, or a process dies and starts again. */
  async #restart() {
    const scheduler = this.#scheduler;
    const device = scheduler.pick(this.#devices);
    const { living } = device;
    const isFull = living.length >= (this.#isTabbed ? 3 : 1);
    if (living.length > 0 && (isFull || scheduler.chance(40))) {
      const victim = scheduler.pick(living);
      const { client } = this.people.find(({ process }) => process === victim);
      // The connection of a dead process ends; closing the client first is the polite way.
      if (scheduler.chance(30)) await scheduler.run(victim, () => client.close());
      device.kill(victim);
      for (const link of this.#server.open) if (link.process === victim) link.cut(true);
    }
    if (device.living.length === 0 || (this.#isTabbed && !isFull)) await this.#open(device);
  }

  /** The system suspends a tab. */
  #suspend() {
    const living = this.living.map(({ process }) => process);
    if (living.length === 0) return;
    const process = this.#scheduler.pick(living);
    // It is not woken earlier than planned, since what waits for it would be overtaken.
    process.asleepUntil = Math.max(process.asleepUntil, this.#scheduler.now + this.#scheduler.random(60_000));
    this.#scheduler.note(process.name, 'sleeps until', process.asleepUntil);
  }

  #fill() {
    const device = this.#scheduler.pick(this.#devices);
    device.isFull = true;
    this.#scheduler.at(this.#scheduler.random(10_000), null, () => { device.isFull = false; });
  }

  // MARK: The end

  /** Everything gets through, until nothing is left to do. */
  async #settle() {
    const scheduler = this.#scheduler;
    const server = this.#server;
    Object.assign(server, { faults: 0, isDown: false });
    for (const room of server.rooms.values()) if (room.isUnavailable) server.setUnavailable(room, false);
    for (const device of this.#devices) {
      device.isFull = false;
      if (device.living.length === 0) await this.#open(device);
    }
    const end = scheduler.now + PATIENCE;
    while (scheduler.now < end && scheduler.failures.length === 0) {
      await scheduler.pass(3_000);
      server.isDown = false;
      for (const room of server.rooms.values()) server.store(room);
      for (const person of this.living) {
        if (!person.isReady) continue;
        await scheduler.run(person.process, () => { for (const each of person.collections.values()) if (each.hasNewer) each.toNewest(); });
      }
      if (differences(this).length === 0) return;
    }
  }

  /** Whether a message must have arrived: its entry was stored on the device, or its tab has lived on. */
  isOwed = ({ id, person }) => person.process.device.kept.has(id) || !person.process.isDead;
}
