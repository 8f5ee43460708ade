// What notifies the user (docs/push.md), as values: the rule, and the forms for the settings. No DOM here.

export const KINDS = ['direct', 'group', 'room'];
export const LEVELS = ['all', 'mentions', 'none'];
/** The pauses to choose from, in milliseconds. */
export const PAUSES = { hour: 3_600_000, hours: 8 * 3_600_000, day: 24 * 3_600_000, week: 7 * 24 * 3_600_000 };
/** The settings of a user who has changed nothing. */
export const STANDARD = { default: { direct: 'all', group: 'all', room: 'mentions' }, quiet: null, muted_until_ms: null, threads: [] };
/** The time for which loaded settings are used, in milliseconds. Another device may change them. */
const FRESH = 60_000;
/** The words that mention everyone. */
const EVERYONE = ['all', 'everyone', 'channel', 'here'];

// MARK: The rule

/** Whether a text mentions a user or everyone, as the server decides it. */
export function isMention(text, username) {
  const names = [...EVERYONE, username].map((name) => name.toLowerCase().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`(^|[^\\p{L}\\p{N}_])@(${names.join('|')})(?![\\p{L}\\p{N}_])`, 'u').test(text.toLowerCase());
}

/** The settings of a thread, without an effect if there are none. */
export const ofThread = ({ threads }, threadID) =>
  threads.find((each) => each.thread_id === threadID) ?? { thread_id: threadID, level: null, muted_until_ms: null };

/** The minute of the day in a time zone; `null` if the browser does not know it. */
function minuteIn(timeZone, now) {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).formatToParts(now);
    const [hour, minute] = ['hour', 'minute'].map((type) => Number(parts.find((part) => part.type === type).value));
    return hour * 60 + minute;
  } catch {
    return null;
  }
}

function isQuiet({ from, to, timezone }, now) {
  const minute = minuteIn(timezone, now);
  if (minute === null) return false;
  const [first, end] = [from, to].map((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5)));
  return first < end ? first <= minute && minute < end : minute >= first || minute < end;
}

/**
 * Whether a message notifies.
 * @param settings as the server answers @param message `{threadID, kind, isMention}`
 */
export function notifies(settings, { threadID, kind, isMention: isMentioned }, now) {
  const thread = ofThread(settings, threadID);
  if (now < settings.muted_until_ms || now < thread.muted_until_ms) return false;
  const level = thread.level ?? settings.default[kind] ?? 'all';
  if (level === 'none' || (level === 'mentions' && !isMentioned)) return false;
  return !settings.quiet || !isQuiet(settings.quiet, now);
}

/** The settings of a user, loaded when they are needed. */
export class Settings {
  #load;
  #known = STANDARD;
  #loadedAt = -Infinity;

  /** @param load resolves to the settings */
  constructor(load) {
    this.#load = load;
  }

  /** Settings that are at most a minute old; older ones if the server does not answer. */
  async recent(now) {
    if (now - this.#loadedAt >= FRESH) {
      // A server that does not answer is not asked for each message.
      this.#loadedAt = now;
      await this.current(now).catch(() => {});
    }
    return this.#known;
  }

  /** The settings now. Throws if the server does not answer. */
  async current(now) {
    return this.took(await this.#load(), now);
  }

  /** Keeps the settings that a call has answered. */
  took(settings, now) {
    this.#known = settings;
    this.#loadedAt = now;
    return settings;
  }
}

// MARK: Forms

/** The choice that shows a pause: `none`, or `present` for one that has not ended. */
export const pauseOf = (until, now) => (until > now ? 'present' : 'none');

/** The end of a chosen pause; `undefined` if it stays as it is. */
function endOf(choice, until, now) {
  if (choice === pauseOf(until, now)) return undefined;
  return choice === 'none' ? null : now + PAUSES[choice];
}

/** The values of the form. @param zone the time zone of the browser */
export const valuesOf = (settings, zone, now) => ({
  ...settings.default, isQuiet: settings.quiet !== null, from: settings.quiet?.from ?? '22:00', to: settings.quiet?.to ?? '07:00',
  timezone: settings.quiet?.timezone ?? zone, pause: pauseOf(settings.muted_until_ms, now),
});

/** The field that is wrong: `from` or `to`; `null` if there is none. */
export function wrongIn({ isQuiet: hasQuiet, from, to }) {
  if (!hasQuiet) return null;
  if (!from) return 'from';
  return !to || from === to ? 'to' : null;
}

/** The body of the call that changes the settings; `null` if all of them are as they were. */
export function changesOf(settings, values, now) {
  const changed = KINDS.filter((kind) => values[kind] !== settings.default[kind]);
  const quiet = values.isQuiet ? { from: values.from, to: values.to, timezone: values.timezone } : null;
  const isSame = quiet === null || settings.quiet === null ? quiet === settings.quiet : Object.keys(quiet).every((name) => quiet[name] === settings.quiet[name]);
  const until = endOf(values.pause, settings.muted_until_ms, now);
  const body = {
    ...(changed.length > 0 && { default: Object.fromEntries(changed.map((kind) => [kind, values[kind]])) }),
    ...(!isSame && { quiet }), ...(until !== undefined && { muted_until_ms: until }),
  };
  return Object.keys(body).length > 0 ? body : null;
}

/** The same for a thread. @param values `level`, empty for the default, and `pause` */
export function threadChangesOf(thread, values, now) {
  const level = values.level || null;
  const until = endOf(values.pause, thread.muted_until_ms, now);
  const body = { ...(level !== thread.level && { level }), ...(until !== undefined && { muted_until_ms: until }) };
  return Object.keys(body).length > 0 ? body : null;
}
