// The state of a room besides its title: topic, picture, archive, slow mode and rights; and whether a direct thread is blocked.

/** The holders of the rights of a room that nothing was changed in. */
const RIGHTS = { write: 'everyone', attach: 'everyone', mention: 'everyone', add: 'moderators' };
const isModerator = (role) => role === 'owner' || role === 'moderator';

/**
 * The state in the fields of a thread or of the frame `room`, in which missing fields have their default.
 * @returns `undefined` if everything has its default
 */
export function roomOf({ topic, picture, archived, slow_mode_seconds: slow, rights, changes, blocked }) {
  if (topic === undefined && picture === undefined && archived === undefined && slow === undefined && rights === undefined && changes === undefined && blocked === undefined) return undefined;
  return {
    topic: typeof topic === 'string' ? topic : '', isArchived: archived === true, slowSeconds: Number.isFinite(slow) ? Math.max(slow, 0) : 0,
    rights: { ...RIGHTS, ...(typeof rights === 'object' ? rights : null) }, changes: Number.isFinite(changes) ? changes : 0, isBlocked: blocked === true,
    ...(typeof picture === 'string' && { picture }),
  };
}

/** The state that is not older: an answer of REST may be older than a frame. */
export const newer = (known, told) => ((known?.changes ?? 0) > (told?.changes ?? 0) ? known : told);

/** @returns why the user may not write in a thread: `archived`, `blocked`, `moderators`; `null` if they may */
export function hindrance({ role, room } = {}) {
  if (room?.isArchived) return 'archived';
  if (room?.isBlocked) return 'blocked';
  return room?.rights.write === 'moderators' && !isModerator(role) ? 'moderators' : null;
}

/** @returns the milliseconds until slow mode lets the user send again. @param now the time of the server */
export function slowWait({ role, room, sentAt } = {}, now) {
  if (!room?.slowSeconds || isModerator(role) || sentAt === undefined) return 0;
  const pause = room.slowSeconds * 1000;
  // A clock that was set back does not prolong the pause.
  return Math.min(Math.max(sentAt + pause - now, 0), pause);
}
