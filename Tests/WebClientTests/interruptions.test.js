import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as timelines from '../../Sources/CWebClient/files/client/timeline.js';
import { generator, seedOf } from './support/random.js';
import { message } from './support/values.js';

const RUNS = 500;
const STEPS = 60;
/** Events of one page. */
const LENGTH = 3;

/** A server with one thread, in whose history numbers may be missing. */
class Server {
  log = [];
  #texts = new Map();
  #emptied = new Set();

  constructor(random) {
    this.random = random;
  }

  /** Appends a message, or an edit of one. */
  write() {
    const seq = this.log.length + 1;
    const known = [...this.#texts.keys()];
    const isEdit = known.length > 0 && this.random(3) === 0;
    const target = isEdit ? known[this.random(known.length)] : seq;
    const text = `text ${seq}`;
    this.#texts.set(target, text);
    this.log.push(isEdit ? { type: 'edited', thread_id: 'a', epoch: 'e1', seq, message_seq: target, text, date_ms: seq } : message(seq, { text }));
    return this.log.at(-1);
  }

  /** The last message is lost, and its number stays empty. */
  empty() {
    const last = this.log.at(-1);
    if (last?.type !== 'message') return;
    this.#emptied.add(last.seq);
    this.#texts.delete(last.seq);
  }

  /** As history does: messages in their current state. */
  history({ before = Infinity, after }) {
    const all = this.log.filter(({ seq }) => seq < before && seq > (after ?? 0) && !this.#emptied.has(seq));
    const part = after === undefined ? all.slice(-LENGTH) : all.slice(0, LENGTH);
    return {
      epoch: 'e1', head_seq: this.log.length, has_more_before: part.length > 0 && part[0].seq > 1,
      has_more_after: part.length > 0 && part.at(-1).seq < this.log.length,
      events: part.map((event) => ({ ...event, text: this.#texts.get(event.message_seq ?? event.seq) })),
    };
  }

  /** The messages from `from` on, each `[seq, text]`. */
  messages(from) {
    return this.log.filter(({ type, seq }) => type === 'message' && seq >= from && this.has(seq)).map(({ seq }) => [seq, this.#texts.get(seq)]);
  }

  has(seq) {
    return this.#texts.has(seq);
  }
}

/** A client that misses events at any moment, and loads older and newer pages, which are short and late. */
class Client {
  timeline = timelines.EMPTY;
  isOpen = false;
  #asked = null;

  constructor(server) {
    this.server = server;
  }

  received(event) {
    if (this.isOpen) this.timeline = timelines.withEvent(this.timeline, event);
  }

  get isWaiting() {
    return this.#asked !== null;
  }

  ask(isOlder) {
    const { isLoaded, from, to } = this.timeline;
    const bounds = !isLoaded ? {} : isOlder ? { before: from } : { after: to };
    this.#asked = { bounds, page: this.server.history(bounds) };
  }

  take() {
    const { bounds, page } = this.#asked;
    this.#asked = null;
    if (bounds.before !== undefined) this.timeline = timelines.withOlder(this.timeline, page, bounds);
    else if (bounds.after !== undefined) this.timeline = timelines.withNewer(this.timeline, page, bounds);
    else if (!this.timeline.isLoaded) this.timeline = timelines.fromPage(page);
  }

  get isComplete() {
    return this.timeline.isLoaded && this.timeline.to >= this.server.log.length;
  }
}

/** One run; at its end the client must have everything from its first row on, and the edits of it. */
function run(random) {
  const server = new Server(random);
  const client = new Client(server);
  const write = () => client.received(server.write());
  const steps = [
    write, write, () => { client.isOpen = true; }, () => { client.isOpen = false; },
    () => { if (!client.isWaiting) client.ask(random(2) === 0); }, () => { if (client.isWaiting) client.take(); },
    () => { if (random(4) === 0 && !client.isOpen) server.empty(); },
  ];
  for (let step = 0; step < STEPS; step += 1) steps[random(steps.length)]();
  if (client.isWaiting) client.take();
  for (let rounds = 0; !client.isComplete && rounds < 200; rounds += 1) {
    client.ask(false);
    client.take();
  }
  client.isOpen = true;
  write();
  const { from, rows } = client.timeline;
  return { found: rows.filter(({ seq }) => server.has(seq)).map(({ seq, text }) => [seq, text]), expected: server.messages(from) };
}

test('however the socket breaks and the pages come, a thread has each message once and in order', (context) => {
  const seed = seedOf(context);
  const random = generator(seed);
  for (let count = 0; count < RUNS; count += 1) {
    const { found, expected } = run(random);
    assert.deepEqual(found, expected, `run ${count} of PARLEY_SEED=${seed}`);
  }
});
