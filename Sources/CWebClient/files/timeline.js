// The known part of one thread's log, as a value: rows without a gap from `from` to `to`, in ascending order of `seq`.
import { folded, isChange, isRow } from './fold.js';

/** Maximum number of rows in memory; the far end is dropped, and loaded again when scrolled to. */
const MOST_ROWS = 12_000;

/** Changes of rows before the first one that are remembered: an older page may have been read before they happened. */
const MOST_EARLIER = 200;

export const EMPTY = { epoch: null, from: 1, to: 0, rows: [], earlier: [], isLoaded: false };

/** Whether there is nothing before the first row. */
export const isAtStart = (timeline) => timeline.isLoaded && timeline.from <= 1;

/**
 * The part of the log that a page covers. Numbers may be missing in it, so its events alone do not tell.
 * @param bounds `before` and `after` of the request
 */
export function pageRange(page, { before, after }) {
  const seqs = page.events.map((event) => event.seq);
  const last = before === undefined ? page.head_seq : before - 1;
  if (after === undefined) return { from: page.has_more_before && seqs.length ? seqs[0] : 1, to: last };
  const isCut = page.has_more_after && seqs.length > 0;
  // A range that was asked for beyond the end must not claim what is written there later.
  return { from: after + 1, to: isCut ? Math.max(seqs.at(-1), after) : Math.max(after, Math.min(last, page.head_seq)) };
}

/** Whether two messages are one send, which got two places in the log while the database was unavailable. */
const isTwin = (one, other) =>
  !!one.client_id && one.client_id === other.client_id && one.sender_id === other.sender_id && one.text === other.text;

/** The rows without second copies of a send. */
function distinct(rows) {
  const sends = new Map();
  return rows.filter((row) => {
    const first = sends.get(row.client_id);
    if (row.client_id && !first) sends.set(row.client_id, row);
    return !first || !isTwin(first, row);
  });
}

/** A timeline of one page; pages have messages in their current state. */
export function fromPage(page, bounds = {}) {
  return { ...EMPTY, ...pageRange(page, bounds), epoch: page.epoch, rows: distinct(page.events.filter(isRow)), isLoaded: true };
}

/** With the page of `history` before `timeline.from`; one that does not fit is ignored. */
export function withOlder(timeline, page, bounds) {
  const range = pageRange(page, bounds);
  if (!timeline.isLoaded || page.epoch !== timeline.epoch || range.to !== timeline.from - 1) return timeline;
  const changed = (row) => timeline.earlier.filter((event) => event.message_seq === row.seq).reduce(folded, row);
  const rows = distinct([...page.events.filter(isRow).map(changed), ...timeline.rows]);
  const from = Math.min(range.from, timeline.from);
  if (rows.length <= MOST_ROWS) return { ...timeline, from, rows };
  return { ...timeline, from, to: rows[MOST_ROWS].seq - 1, rows: rows.slice(0, MOST_ROWS) };
}

/** With the page of `history` after `timeline.to`; its events may also change earlier messages. */
export function withNewer(timeline, page, bounds) {
  const range = pageRange(page, bounds);
  if (!timeline.isLoaded || page.epoch !== timeline.epoch || bounds.after !== timeline.to) return timeline;
  return trimmed({ ...page.events.reduce(withAny, timeline), to: Math.max(range.to, timeline.to) }, MOST_ROWS);
}

/** With a live event, if it is the next one; a gap is filled by `withNewer`. */
export function withEvent(timeline, event) {
  if (!timeline.isLoaded || event.epoch !== timeline.epoch || event.seq !== timeline.to + 1) return timeline;
  return trimmed({ ...withAny(timeline, event), to: event.seq }, MOST_ROWS);
}

function withAny(timeline, event) {
  if (isRow(event)) return timeline.rows.some((row) => isTwin(row, event)) ? timeline : { ...timeline, rows: [...timeline.rows, event] };
  if (!isChange(event)) return timeline;
  if (event.message_seq < timeline.from) return { ...timeline, earlier: [...timeline.earlier, event].slice(-MOST_EARLIER) };
  const index = indexOf(timeline, event.message_seq);
  const row = timeline.rows[index];
  if (row?.seq !== event.message_seq) return timeline;
  const rows = timeline.rows.slice();
  rows[index] = folded(row, event);
  return { ...timeline, rows };
}

/** The index of the first row from `seq` on. */
export function indexOf({ rows }, seq) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The newest `count` rows. */
export function trimmed(timeline, count) {
  if (timeline.rows.length <= count) return timeline;
  const rows = timeline.rows.slice(-count);
  return { ...timeline, rows, from: rows[0].seq };
}
