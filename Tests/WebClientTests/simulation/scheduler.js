// Virtual time: what clients, their browsers and the server do, one thing after another, in an order that a seed repeats.
import { generator } from '../support/random.js';

const nextTurn = setImmediate;

/** A tab, or a process of Node. Nothing happens in it once it is dead, and nothing before `asleepUntil`. */
export class Process {
  isDead = false;
  asleepUntil = 0;

  constructor(name, device) {
    this.name = name;
    this.device = device;
  }
}

/** The tasks in order of time, and of their creation. A binary heap. */
class Queue {
  #all = [];

  get isEmpty() { return this.#all.length === 0; }

  push(task) {
    const all = this.#all;
    let index = all.push(task) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!Queue.#precedes(all[index], all[parent])) break;
      [all[index], all[parent]] = [all[parent], all[index]];
      index = parent;
    }
  }

  pop() {
    const all = this.#all;
    const [first] = all;
    const last = all.pop();
    if (all.length === 0) return first;
    all[0] = last;
    for (let index = 0; ;) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) if (child < all.length && Queue.#precedes(all[child], all[least])) least = child;
      if (least === index) return first;
      [all[index], all[least]] = [all[least], all[index]];
      index = least;
    }
  }

  static #precedes(one, other) { return one.at < other.at || (one.at === other.at && one.order < other.order); }
}

export class Scheduler {
  /** In milliseconds. */
  now = 1_000;
  /** The process whose code runs. */
  current = null;
  failures = [];
  random;
  /** Prints what happens, for people who look for the reason of a failure. */
  trace = () => {};
  #queue = new Queue();
  #count = 0;
  #timers = new Map();
  #originals = [];

  constructor(seed) {
    this.random = generator(seed);
    // The first numbers of seeds in sequence are similar.
    for (let count = 0; count < 10; count += 1) this.random(2);
  }

  /** @param what a list of what happens, without the time */
  note(...what) { this.trace(`${this.now}`.padStart(8), ...what); }

  /** Whether something of this probability, in percent, happens. */
  chance(percent) { return this.random(100) < percent; }

  pick(list) { return list[this.random(list.length)]; }

  /** Runs an action later, in a process. `null` is the server, or the world. */
  at(delay, process, action) {
    this.#count += 1;
    const task = { at: this.now + delay, order: this.#count, process, action, isOver: false };
    this.#queue.push(task);
    return task;
  }

  /** Runs the next task, and what follows from it without a delay. */
  async step() {
    const task = this.#queue.pop();
    const { process } = task;
    if (task.isOver || process?.isDead) return;
    this.now = Math.max(this.now, task.at);
    if (process && process.asleepUntil > this.now) {
      this.#queue.push({ ...task, at: process.asleepUntil });
      return;
    }
    await this.run(process, task.action);
  }

  /** Runs code of a process now. */
  async run(process, action) {
    this.current = process;
    try {
      action();
    } catch (error) {
      this.failures.push(`${process?.name ?? 'the world'}: ${error.stack}`);
    }
    // Every promise that is settled goes on before the next task.
    await new Promise((resolve) => { nextTurn(resolve); });
    this.current = null;
  }

  /** Lets time pass. @param isOver ends it early */
  async pass(milliseconds, isOver = () => false) {
    const end = this.now + milliseconds;
    this.at(milliseconds, null, () => {});
    while (this.now < end && !this.#queue.isEmpty && !isOver()) await this.step();
  }

  // MARK: Globals

  /** Puts virtual time, and numbers of this seed, in place of those of Node. */
  install(globals = {}) {
    const set = (action, delay, values, every) => {
      const { current } = this;
      this.#count += 1;
      const id = this.#count;
      const run = () => {
        if (every !== null) this.#timers.set(id, this.at(every, current, run));
        else this.#timers.delete(id);
        action(...values);
      };
      this.#timers.set(id, this.at(delay ?? 0, current, run));
      return id;
    };
    const clear = (id) => {
      const task = this.#timers.get(id);
      if (task) task.isOver = true;
      this.#timers.delete(id);
    };
    const random = () => this.random(1_000_000) / 1_000_000;
    this.#replace(globalThis, 'setTimeout', (action, delay, ...values) => set(action, delay, values, null));
    this.#replace(globalThis, 'setInterval', (action, every) => set(action, every, [], every));
    this.#replace(globalThis, 'clearTimeout', clear);
    this.#replace(globalThis, 'clearInterval', clear);
    this.#replace(globalThis, 'performance', { now: () => this.now });
    this.#replace(globalThis, 'crypto', { getRandomValues: (bytes) => bytes.map(() => this.random(256)) });
    this.#replace(Date, 'now', () => 1.7e12 + this.now);
    this.#replace(Math, 'random', random);
    this.#replace(AbortSignal, 'timeout', (milliseconds) => {
      const controller = new AbortController();
      set(() => controller.abort(), milliseconds, [], null);
      return controller.signal;
    });
    for (const [name, value] of Object.entries(globals)) this.#replace(globalThis, name, value);
  }

  #replace(object, name, value) {
    this.#originals.push([object, name, Object.getOwnPropertyDescriptor(object, name)]);
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
  }

  uninstall() {
    for (const [object, name, original] of this.#originals.reverse()) {
      if (original) Object.defineProperty(object, name, original);
      else delete object[name];
    }
  }
}
