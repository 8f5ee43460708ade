// Formatting of values for display: rows of a conversation, times, names, links. No DOM here.

/** Maximum length of a message, in Unicode scalars. */
export const TEXT_LIMIT = 4096;

/** Consecutive messages of one sender within this time are grouped. */
const GROUP_MS = 5 * 60_000;

/** When a message was sent, in milliseconds since 1970. */
export const timeOf = (message) => message.date_ms ?? message.date * 1000;

/** The local day as `2026-11-21`. */
export function dayKey(ms) {
  const date = new Date(ms);
  const two = (number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The number of local days between two instants, by the calendar, as a day may have 23 or 25 hours. */
function daysBetween(earlier, later) {
  const noon = (ms) => new Date(ms).setHours(12, 0, 0, 0);
  return Math.round((noon(later) - noon(earlier)) / 86_400_000);
}

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const weekdayFormat = new Intl.DateTimeFormat('en', { weekday: 'long' });
const shortDateFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dateFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const yearFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

/** The time of day in the user's locale. */
export const clock = (ms) => clockFormat.format(ms);

/** A day as a heading: Today, Yesterday, `Friday 20 November`, or the date with its year. */
export function dayLabel(ms, now) {
  const days = daysBetween(ms, now);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return days > 0 && days < 180 ? dateFormat.format(ms) : yearFormat.format(ms);
}

/** An instant in short form, for a list. */
export function shortTime(ms, now) {
  const days = daysBetween(ms, now);
  if (days <= 0) return clock(ms);
  if (days === 1) return 'Yesterday';
  return days < 7 ? weekdayFormat.format(ms).slice(0, 3) : shortDateFormat.format(ms);
}

/**
 * The rows of a conversation from top to bottom: `{kind: 'day'}`, `{kind: 'new'}` above the first unread message,
 * `{kind: 'message'}`, and at the end `{kind: 'pending'}` for unconfirmed messages; each with a unique `key`.
 * @param messages in ascending order
 * @param pending entries of the outbox
 * @param firstUnread the id of the message below the "new" row, if any
 */
export function rows(messages, pending, { me, firstUnread, now }) {
  const result = [];
  let previous = null;
  for (const message of messages) {
    const ms = timeOf(message);
    const day = dayKey(ms);
    const isNewDay = !previous || previous.day !== day;
    if (isNewDay) result.push({ kind: 'day', key: `day-${day}`, ms, label: dayLabel(ms, now) });
    if (message.id === firstUnread) result.push({ kind: 'new', key: 'new' });
    const isGrouped = !isNewDay && message.id !== firstUnread && previous.sender === message.sender_id
      && ms - previous.ms < GROUP_MS;
    const row = { kind: 'message', key: message.id, message, ms, isOwn: message.sender_id === me, isFirst: !isGrouped };
    result.push(row);
    previous = { day, ms, sender: message.sender_id };
  }
  for (const entry of pending) {
    result.push({ kind: 'pending', key: entry.key, entry, ms: entry.at, isOwn: true, isFirst: previous?.sender !== me });
    previous = { sender: me };
  }
  return result;
}

/** The id of the oldest of the `count` newest messages of other users; `null` if there is none. */
export function firstOfUnread(messages, count, me) {
  const others = messages.filter((message) => message.sender_id !== me);
  return count > 0 ? (others.at(-Math.min(count, others.length))?.id ?? null) : null;
}

/** The initials of a name, one or two letters. */
export function initials(name) {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0]);
  return letters.join('').toUpperCase() || '#';
}

/** One of eight colours, derived from the id. */
export function hue(id) {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)) % 65_521;
  return hash % 8;
}

/** The text in pieces, `{text}` or `{text, href}`; only `http:` and `https:` addresses become links. */
export function withLinks(text) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(/https?:\/\/[^\s<>"']+/g)) {
    // A full stop or bracket after an address belongs to the sentence.
    const address = match[0].replace(/[.,:;!?)\]}]+$/, '');
    if (!URL.canParse(address)) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The number of Unicode scalars, as the server counts them. */
export const scalarCount = (text) => [...text].length;

/** The text to send: without NUL, lone surrogates, and surrounding white space. */
export function sendable(text) {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\s+$/, '').replace(/^\s*\n/, '');
}
