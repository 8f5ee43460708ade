// Formatting of values for display: times, names, texts. No DOM here.
import { S } from './strings.js';

/** Maximum length of a message, in Unicode scalars. */
export const TEXT_LIMIT = 4096;

/** The local day of an instant, `from` inclusive and `to` exclusive. */
export function dayAround(ms) {
  const date = new Date(ms);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  return { from: new Date(year, month, day).getTime(), to: new Date(year, month, day + 1).getTime() };
}

/** The number of local calendar days between two instants. A day may have 23 or 25 hours. */
function daysBetween(earlier, later) {
  const noon = (ms) => new Date(ms).setHours(12, 0, 0, 0);
  return Math.round((noon(later) - noon(earlier)) / 86_400_000);
}

/** The region of dates and clocks: the user's own, if it belongs to the language of the texts. */
const LANGUAGE = (globalThis.navigator?.languages ?? []).find((each) => each.slice(0, 2).toLowerCase() === S.language) ?? (S.language === 'en' ? 'en-GB' : S.language);
const clockFormat = new Intl.DateTimeFormat(LANGUAGE, { hour: '2-digit', minute: '2-digit' });
const weekdayFormat = new Intl.DateTimeFormat(LANGUAGE, { weekday: 'short' });
const shortDateFormat = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short' });
const dateFormat = new Intl.DateTimeFormat(LANGUAGE, { weekday: 'long', day: 'numeric', month: 'long' });
const yearFormat = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'long', year: 'numeric' });

const endFormat = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' });
const endYearFormat = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'long', year: 'numeric', hour: '2-digit', minute: '2-digit' });
const fullFormat = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long', timeStyle: 'medium' });

/** The time of day in the user's locale. */
export const clock = (ms) => clockFormat.format(ms);

/** A date with its year and the time of day. */
export const longTime = (ms) => fullFormat.format(ms);

/** A date with its year. */
export const longDate = (ms) => yearFormat.format(ms);

/** A day as a heading: Today, Yesterday, `Friday 20 November`, or the date with its year. */
export function dayLabel(ms, now) {
  const days = daysBetween(ms, now);
  if (days === 0) return S.today;
  if (days === 1) return S.yesterday;
  return days > 0 && days < 180 ? dateFormat.format(ms) : yearFormat.format(ms);
}

/** An instant in short form, for a list. */
export function shortTime(ms, now) {
  const days = daysBetween(ms, now);
  if (days <= 0) return clock(ms);
  if (days === 1) return S.yesterday;
  return days < 7 ? weekdayFormat.format(ms) : shortDateFormat.format(ms);
}

/** An instant that is still to come: the time of day, and the date unless it is today. */
export function untilTime(ms, now) {
  if (daysBetween(now, ms) === 0) return clock(ms);
  return (new Date(ms).getFullYear() === new Date(now).getFullYear() ? endFormat : endYearFormat).format(ms);
}

/** A number of bytes: `48 kB`, `1.2 MB`. */
export function sizeText(bytes) {
  let [value, power] = [bytes, 0];
  // From what would be rounded to 1000.
  while (value >= 999.5 && power < S.units.length) [value, power] = [value / 1000, power + 1];
  if (power === 0) return S.bytes(bytes);
  return S.units[power - 1](value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : `${Math.round(value)}`);
}

/** The initials of a name, one or two letters. */
export function initials(name) {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0]);
  return letters.join('').toUpperCase() || '#';
}

/** One of eight colors, derived from the ID. */
export function hue(id) {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.codePointAt(0)) % 65_521;
  return hash % 8;
}

/** The number of Unicode scalars, as the server counts them. */
export const scalarCount = (text) => [...text].length;

/** The text to send: without NUL, lone surrogates, and surrounding white space. */
export function sendable(text) {
  return text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD').replace(/\s+$/, '').replace(/^\s*\n/, '');
}
