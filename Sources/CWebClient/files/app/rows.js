// The rows of a conversation, from its timeline and outbox. No DOM here.
import { kindOf, shownSize } from './attachments.js';
import { dayAround, dayLabel } from '../shared/format.js';
import { overlaid } from '../client/outbox.js';

/** Consecutive messages of one sender within this time are grouped. */
const GROUP = 5 * 60_000;

/**
 * Rows are `{kind: 'day'}`, `{kind: 'new'}` above the first unread message, `{kind: 'message'}`, and `{kind: 'notice'}`
 * for joins and similar events. Each has a unique `key`.
 * @param changes pending edits, deletions and reactions, by message ID
 * @param dividerSeq messages of other users above it are new; `null` if no message was unread
 */
export function rowsOf(events, { changes, me, dividerSeq, now }) {
  const result = [];
  let previous = { sender: null, ms: 0 };
  let day = { from: 0, to: 0 };
  let isDivided = dividerSeq === null;
  for (const event of events) {
    const ms = event.date_ms;
    // Creating dates is slow, and most rows have the same day as the previous one.
    if (ms < day.from || ms >= day.to) {
      day = dayAround(ms);
      result.push({ kind: 'day', key: `day-${event.seq}`, label: dayLabel(ms, now) });
      previous = { sender: null, ms };
    }
    if (event.type !== 'message') {
      result.push({ kind: 'notice', key: `n-${event.seq}`, event });
      previous = { sender: null, ms };
      continue;
    }
    if (!isDivided && event.seq > dividerSeq && event.sender_id !== me) {
      result.push({ kind: 'new', key: 'new' });
      previous = { sender: null, ms };
      isDivided = true;
    }
    const waiting = changes.get(event.id);
    result.push({
      kind: 'message', key: `m-${event.seq}`, message: waiting ? overlaid(event, waiting, me) : event, ms,
      isOwn: event.sender_id === me, isFirst: previous.sender !== event.sender_id || ms - previous.ms > GROUP,
    });
    previous = { sender: event.sender_id, ms };
  }
  return result;
}

/** Appends `{kind: 'pending'}` for messages that are not in the log yet. @param pending entries of the outbox */
export function withPending(rows, pending, me) {
  if (pending.length === 0) return rows;
  const last = rows.at(-1)?.message?.sender_id;
  return [...rows, ...pending.map((entry, index) => ({
    kind: 'pending', key: `c-${entry.id}`, entry, ms: entry.at, isOwn: true, isFirst: index === 0 && last !== me,
  }))];
}

/** The estimated height of a row in pixels, before it is shown at `width`. */
export function likelyHeight(row, width) {
  if (row.kind === 'day' || row.kind === 'new') return 44;
  if (row.kind === 'notice') return 28;
  const text = row.message?.text ?? row.entry.text ?? '';
  const perLine = Math.max(20, Math.min(width * 0.8, 576) / 8);
  const lines = Math.max(1, Math.ceil(text.length / perLine));
  return 44 + (lines - 1) * 23 + (row.isFirst ? 14 : 0) + (row.message?.reactions?.length ? 34 : 0)
    + (row.message?.reply_to ? 44 : 0) + partsHeight(row.message?.parts ?? row.entry?.files ?? []);
}

/** The estimated height of pictures, videos and other files. */
function partsHeight(parts) {
  const heights = { video: (part) => shownSize(part).height + 50, sound: () => 100, file: () => 56 };
  const pictures = parts.filter((part) => kindOf(part.type ?? '') === 'picture');
  const others = parts.filter((part) => !pictures.includes(part)).reduce((sum, part) => sum + heights[kindOf(part.type ?? '')](part), 0);
  if (pictures.length > 1) return others + Math.ceil(pictures.length / 2) * 154;
  return others + (pictures.length === 1 ? shownSize(pictures[0]).height + 8 : 0);
}
