// The known part of one thread's log, as a value: rows without a gap from `from` to `to`, in ascending order of `seq`.
import { folded, isChange, isRow } from './fold.js';

/** The maximum number of rows in memory. Rows at the other end are dropped, and loaded again on scrolling. */
const MAX_ROWS = 12_000;

/**
 * The maximum number of remembered changes of rows before the first one. An older page may have been read before these
 * changes.
 */
const MAX_EARLIER = 200;

export const EMPTY = { epoch: null, from: 1, to: 0, rows: [], earlier: [], isLoaded: false };

/** Whether no row precedes the first one. */
export const isAtStart = (timeline) => timeline.isLoaded && timeline.from <= 1;

/**
 * The part of the log that a page covers. Numbers may be missing in it, so the events alone do not determine it.
 * @param bounds `before` and `after` of the request
 */
export function pageRange(page, { before, after }) {
  const seqs = page.events.map((event) => event.seq);
  const last = before === undefined ? page.head_seq : before - 1;
  if (after === undefined) return { from: page.has_more_before && seqs.length ? seqs[0] : 1, to: last };
  const isCut = page.has_more_after && seqs.length > 0;
  // A range that was requested beyond the end must not include later events.
  return { from: after + 1, to: isCut ? Math.max(seqs.at(-1), after) : Math.max(after, Math.min(last, page.head_seq)) };
}

/** Whether two messages are one send that was logged twice while the database was unavailable. */
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

/** A timeline of one page. Pages contain messages in their current state. */
export function fromPage(page, bounds = {}) {
  return { ...EMPTY, ...pageRange(page, bounds), epoch: page.epoch, rows: distinct(page.events.filter(isRow)), isLoaded: true };
}

/** Adds the page of `history` before `timeline.from`. A page that is not adjacent is ignored. */
export function withOlder(timeline, page, bounds) {
  const range = pageRange(page, bounds);
  if (!timeline.isLoaded || page.epoch !== timeline.epoch || range.to !== timeline.from - 1) return timeline;
  const changed = (row) => timeline.earlier.filter((event) => event.message_seq === row.seq).reduce(folded, row);
  const rows = distinct([...page.events.filter(isRow).map(changed), ...timeline.rows]);
  const from = Math.min(range.from, timeline.from);
  if (rows.length <= MAX_ROWS) return { ...timeline, from, rows };
  return { ...timeline, from, to: rows[MAX_ROWS].seq - 1, rows: rows.slice(0, MAX_ROWS) };
}

/** Adds the page of `history` after `timeline.to`. Its events may also change earlier messages. */
export function withNewer(timeline, page, bounds) {
  const range = pageRange(page, bounds);
  if (!timeline.isLoaded || page.epoch !== timeline.epoch || bounds.after !== timeline.to) return timeline;
  return trimmed({ ...page.events.reduce(withAny, timeline), to: Math.max(range.to, timeline.to) }, MAX_ROWS);
}

/**
 * Adds a live event, if it is the next one. `withNewer` fills gaps. A change of a message takes effect wherever the
 * timeline ends, because what was deleted must not stay visible; the page that contains the change repeats it.
 */
export function withEvent(timeline, event) {
  if (!timeline.isLoaded || event.epoch !== timeline.epoch || event.seq <= timeline.to) return timeline;
  if (event.seq > timeline.to + 1) return isChange(event) ? withAny(timeline, event) : timeline;
  return trimmed({ ...withAny(timeline, event), to: event.seq }, MAX_ROWS);
}

function withAny(timeline, event) {
  if (isRow(event)) return timeline.rows.some((row) => isTwin(row, event)) ? timeline : { ...timeline, rows: [...timeline.rows, event] };
  if (!isChange(event)) return timeline;
  if (event.message_seq < timeline.from) return { ...timeline, earlier: [...timeline.earlier, event].slice(-MAX_EARLIER) };
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
