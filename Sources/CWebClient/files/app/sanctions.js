// Mutes and bans, as the page shows them and asks for them. No DOM here.
import { untilTime } from '../shared/format.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** The durations to choose from, in seconds, by their names in `S.durations`. The last one has no end. */
export const SECONDS = { minutes: 600, hour: 3_600, day: 86_400, week: 604_800, endless: undefined };
/** The maximum length of a reason. */
export const REASON_LIMIT = 500;

/** Whether a user may remove, mute or ban another one. @param role that of the other user; `undefined` if not a member */
export const mayActOn = (role, ownRole) =>
  ownRole === 'owner' || (ownRole === 'moderator' && (role === undefined || role === 'member' || role === 'read_only'));

/** The body of a request. @param duration a key of `SECONDS` */
export function requestOf(duration, reason) {
  const seconds = SECONDS[duration];
  const text = reason.trim();
  return { ...(seconds && { seconds }), ...(text && { reason: text }) };
}

/** The text above a conversation in which the user is muted. @param mute `{untilMs, reason}`, each optional */
export const muteText = ({ untilMs, reason }, now) => S.muted(untilMs === undefined ? null : untilTime(untilMs, now), visible(reason));

/** A mute or a ban in the list for moderators. */
export const sanctionText = ({ kind, until_ms: until, reason }, now) => S.sanctioned(kind, until ? untilTime(until, now) : null, visible(reason));
