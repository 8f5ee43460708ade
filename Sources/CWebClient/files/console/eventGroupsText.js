// Texts and values of groups of readers. No DOM here.
import { ago, span } from './format.js';
import { visible } from '../shared/visible.js';

/** The number of characters of a cursor that are shown: its end tells cursors apart. */
const CURSOR = 12;

/** The cells of a group: its name, who reads, the lag, the last acknowledgement, and the cursor. */
export function rowOf({ name, worker, lease_until_ms: until, lag_ms: lag, acknowledged_ms: acknowledged, cursor }, now) {
  return [visible(name), readerText(worker, until, now), lagText(lag), acknowledged === null ? 'never' : ago(acknowledged, now), cursorText(cursor)];
}

function readerText(worker, until, now) {
  if (!worker) return 'none since it was moved';
  return until > now ? visible(worker) : `none, the last was ${visible(worker)}`;
}

/** The age of the oldest event that the group has not acknowledged. */
const lagText = (lag) => (lag === null ? 'nothing unread' : span(lag));

const cursorText = (cursor) => (cursor.length > CURSOR ? `…${cursor.slice(-CURSOR)}` : cursor);

/** The question and the effect of a move to `start`, `end` or a cursor, for a confirmation. */
export function moveText(group, place) {
  const [where, effect] = {
    start: ['to the start', 'every stored event is read again'],
    end: ['to the end', 'what it has not read yet is left out'],
    cursor: ['to this cursor', 'it continues with the event after it'],
  }[place];
  return { title: `Move ${group} ${where}?`, text: `The answer to its worker ends, and ${effect}.` };
}

/** The `cursor` of a call. */
export function placeOf(place, cursor) {
  if (place !== 'cursor') return place;
  const text = cursor.trim();
  if (!/^[0-9a-f]+$/.test(text)) throw new Error('Enter a cursor, which is hex digits as in an answer of the stream.');
  return text;
}
