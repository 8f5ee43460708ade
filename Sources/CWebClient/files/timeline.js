// The messages of one thread as a value. Every function returns a new timeline.
//
// A timeline has
// - `messages`, in ascending `seq`;
// - `isLoaded`: a first page has been loaded;
// - `atStart`: there are no earlier messages;
// - `through`: the `seq` up to which no message can be missing after the first one;
// - `isStale`: the socket was closed, so messages after `through` may be missing until they are loaded;
// - `epoch`: the epoch of the `seq`s.

/** The empty timeline of a thread. */
export const EMPTY = Object.freeze({
  messages: [], isLoaded: false, atStart: false, through: 0, isStale: true, epoch: null,
});

/** The sort key of a message; one without `seq` (from a Django group) stays where it arrived. */
const place = (message) => message.seq ?? message.place ?? 0;

/** The highest `seq` of the messages; 0 if there is none. */
export function lastSeq(timeline) {
  return timeline.messages.reduce((last, message) => Math.max(last, message.seq ?? 0), 0);
}

/** Merges two lists in order, without duplicates. */
function merged(known, added) {
  const byID = new Map(known.map((message) => [message.id, message]));
  for (const message of added) byID.set(message.id, message);
  return [...byID.values()].sort((a, b) => place(a) - place(b));
}

/** The `seq` of a page's newest message (pages are newest first), or `otherwise`. */
const newest = (page, otherwise) => page.messages.find((message) => message.seq !== undefined)?.seq ?? otherwise;

/**
 * The timeline with its newest page. Earlier messages are dropped, because there may be a gap; messages that arrived
 * live after the page stay.
 * @param isLive whether the socket has been open since before the page was requested
 */
export function withNewestPage(timeline, page, isLive) {
  const end = newest(page, 0);
  const later = timeline.messages.filter((message) => place(message) > end);
  const messages = merged(page.messages, later);
  const result = {
    messages, isLoaded: true, atStart: page.end, through: end, isStale: !isLive,
    epoch: messages.at(-1)?.epoch ?? timeline.epoch,
  };
  return isLive ? { ...result, through: lastSeq(result) } : result;
}

/** The lowest `seq` of the messages, before which an older page ends; `undefined` if there is none. */
export const firstSeq = (timeline) => timeline.messages.find((message) => message.seq !== undefined)?.seq;

/**
 * The timeline with the page before `seq`; unchanged if it no longer begins there, because there would be a gap.
 */
export function withOlderPage(timeline, page, seq) {
  if (firstSeq(timeline) !== seq) return timeline;
  return { ...timeline, messages: merged(timeline.messages, page.messages), atStart: page.end };
}

/**
 * The timeline with a page from after `through`.
 * @param isLive whether the socket has been open since before the page was requested: only then can nothing be missing
 *   after the last page
 */
export function withNewerPage(timeline, page, isLive) {
  const result = {
    ...timeline, messages: merged(timeline.messages, page.messages),
    through: Math.max(timeline.through, newest(page, 0)),
  };
  return page.end && isLive ? { ...result, isStale: false, through: lastSeq(result) } : result;
}

/**
 * The timeline with a message from the socket. A new epoch voids all known messages, and the timeline must be loaded
 * again.
 */
export function withLiveMessage(timeline, message) {
  const isOtherEpoch = timeline.epoch && message.epoch && message.epoch !== timeline.epoch;
  if (isOtherEpoch) return { ...EMPTY, messages: [message], epoch: message.epoch };
  const isKnown = timeline.messages.some((each) => each.id === message.id);
  if (message.seq === undefined && isKnown) return timeline;
  const placed = message.seq === undefined ? { ...message, place: lastSeq(timeline) + 0.5 } : message;
  return {
    ...timeline, messages: merged(timeline.messages, [placed]), epoch: message.epoch ?? timeline.epoch,
    through: timeline.isStale ? timeline.through : Math.max(timeline.through, message.seq ?? 0),
  };
}

/** The timeline after the socket closed. */
export function interrupted(timeline) {
  return timeline.isStale ? timeline : { ...timeline, isStale: true };
}

/**
 * The timeline trimmed to its newest `count` messages; older ones can be loaded again. One that may have a gap is
 * dropped instead, since the gap could be anywhere.
 */
export function trimmed(timeline, count) {
  if (timeline.messages.length <= count) return timeline;
  if (timeline.isStale) return EMPTY;
  return { ...timeline, messages: timeline.messages.slice(-count), atStart: false };
}
