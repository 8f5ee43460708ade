// The rows of a conversation, from its timeline and outbox. No DOM here.
import { dayKey, dayLabel } from './format.js';
import { overlaid } from './outbox.js';

/** Consecutive messages of one sender within this time are grouped. */
const GROUP = 5 * 60_000;

/**
 * `{kind: 'day'}`, `{kind: 'new'}` above the first unread message, `{kind: 'message'}`, `{kind: 'notice'}` for joins and
 * the like, and at the end `{kind: 'pending'}` for messages that are not in the log yet; each with a unique `key`.
 * @param pending entries of the outbox
 * @param changes waiting edits, deletions and reactions, by id of the message
 * @param dividerSeq messages of others above it are new; `null` if nothing was unread
 */
export function rowsOf(events, { pending, changes, me, dividerSeq, now }) {
  const result = [];
  let previous = { day: null, sender: null, ms: 0 };
  let isDivided = dividerSeq === null;
  for (const event of events) {
    const ms = event.date_ms;
    const day = dayKey(ms);
    if (previous.day !== day) {
      result.push({ kind: 'day', key: `day-${day}-${event.seq}`, label: dayLabel(ms, now) });
      previous = { day, sender: null, ms };
    }
    if (event.type !== 'message') {
      result.push({ kind: 'notice', key: `n-${event.seq}`, event });
      previous = { day, sender: null, ms };
      continue;
    }
    if (!isDivided && event.seq > dividerSeq && event.sender_id !== me) {
      result.push({ kind: 'new', key: 'new' });
      previous = { day, sender: null, ms };
      isDivided = true;
    }
    const waiting = changes.get(event.id);
    result.push({
      kind: 'message', key: `m-${event.seq}`, message: waiting ? overlaid(event, waiting, me) : event, ms,
      isOwn: event.sender_id === me, isFirst: previous.sender !== event.sender_id || ms - previous.ms > GROUP,
    });
    previous = { day, sender: event.sender_id, ms };
  }
  for (const entry of pending) {
    result.push({ kind: 'pending', key: `c-${entry.id}`, entry, ms: entry.at, isOwn: true, isFirst: previous.sender !== me });
    previous = { ...previous, sender: me };
  }
  return result;
}

/** The likely height of a row in pixels, before it was shown at `width`. */
export function likelyHeight(row, width) {
  if (row.kind === 'day' || row.kind === 'new') return 44;
  if (row.kind === 'notice') return 28;
  const text = row.message?.text ?? row.entry.text ?? '';
  const perLine = Math.max(20, Math.min(width * 0.8, 576) / 8);
  const lines = Math.max(1, Math.ceil(text.length / perLine));
  return 44 + (lines - 1) * 23 + (row.isFirst ? 14 : 0) + (row.message?.reactions?.length ? 34 : 0)
    + (row.message?.reply_to ? 44 : 0);
}
