// The mutes of the user: in which threads a moderator lets them read, but not write.

/** The frames that tell of mutes. */
const FRAMES = new Set(['hello', 'thread', 'mute']);
/**
 * The longest time between two looks at the clock, in milliseconds. Clocks are corrected and devices sleep, and browsers
 * take no delay of more than 2^31 ms.
 */
const LOOK = 60_000;

/** @returns the mute in a frame or an answer, `null` if there is none, and `undefined` if the value is missing or not a mute */
export function muteOf(value) {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const untilMs = value.until_ms ?? undefined;
  const reason = value.reason ?? undefined;
  if (untilMs !== undefined && !Number.isFinite(untilMs)) return undefined;
  if (reason !== undefined && typeof reason !== 'string') return undefined;
  return { ...(untilMs !== undefined && { untilMs }), ...(reason && { reason }) };
}

/**
 * Ends mutes in a tab's list of threads when their time is over, because the server sends nothing then. The times are
 * the server's, which may differ from the device's.
 */
export class Mutes {
  #host;
  /** The server's clock minus that of the device, in milliseconds. */
  #offset = 0;
  #timer = null;
  #isOver = false;

  /** @param host `roster`, the list; `changed()`, called when a mute has ended by itself */
  constructor(host) {
    this.#host = host;
  }

  /** The server's clock minus that of the device, in milliseconds. */
  get offset() { return this.#offset; }

  /** Handles a message of the leading tab, after the list has handled it. */
  received({ offset, snapshot, listed, frame }) {
    this.#offset = offset ?? snapshot?.offset ?? this.#offset;
    if (offset !== undefined || snapshot || listed || FRAMES.has(frame?.type)) this.look();
  }

  /** Ends the mutes that are over, and waits for the end of the next one. */
  look() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const now = Date.now() + this.#offset;
    const { next, hasEnded } = this.#host.roster.endMutes(now);
    if (next < Infinity) this.#timer = setTimeout(() => this.look(), Math.min(next - now, LOOK));
    if (hasEnded) this.#host.changed();
  }

  stop() {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

/** The mutes that frames have told. The answer to an earlier request does not know them. */
export class ToldMutes {
  #count = 0;
  /** By thread, `{number, mute}`, with the value of the frame. */
  #told = new Map();

  /** The number of mutes that were told. */
  get count() { return this.#count; }

  frame({ type, op, threads, thread, thread_id: id, mute }) {
    if (type === 'hello') for (const each of threads) this.#tell(each.id, each.mute ?? null);
    else if (type === 'thread' && op === 'added') this.#tell(thread.id, thread.mute ?? null);
    else if (type === 'mute' && muteOf(mute) !== undefined) this.#tell(id, mute);
  }

  #tell(id, mute) {
    this.#count += 1;
    this.#told.set(id, { number: this.#count, mute });
  }

  /** The threads of an answer with their present mutes. @param count the number of told mutes at the time of the request */
  upToDate(threads, count) {
    return threads.map((thread) => {
      const { number = 0, mute } = this.#told.get(thread.id) ?? {};
      return number > count ? { ...thread, mute } : thread;
    });
  }
}
