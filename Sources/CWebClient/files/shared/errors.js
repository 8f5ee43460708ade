// The text that explains an error of a call, from its code. The server's own texts are for developers.
import { untilTime } from './format.js';
import { S } from './strings.js';
import { visible } from './visible.js';

/** The meanings of codes in one place, as names of `S.errors`. */
const PLACES = {
  logIn: { unauthorized: 'wrongLogin', bad_request: 'wrongLogin' },
  signUp: { conflict: 'nameTaken', bad_request: 'nameInvalid', forbidden: 'signUpOff' },
  password: { unauthorized: 'wrongPassword', forbidden: 'wrongPassword', bad_request: 'wrongPassword' },
  displayName: { bad_request: 'displayNameInvalid' },
  member: { not_found: 'noUser', bad_request: 'noUser' },
  title: { conflict: 'titleTaken', bad_request: 'titleInvalid' },
  join: { conflict: 'titleTaken', bad_request: 'titleInvalid' },
  invitation: { not_found: 'noUser', conflict: 'cannotInvite', bad_request: 'invitationInvalid', rate_limited: 'tooManyInvitations' },
  link: { conflict: 'tooManyLinks' },
};

/** Codes whose meaning only the server's text tells, such as that the user is banned, until when and why. */
const TOLD = { join: 'forbidden', member: 'forbidden', invitation: 'forbidden' };

/**
 * @param error with a `code`; another one, such as one that the page has thrown itself, has its own text
 * @param place a key of `PLACES`
 */
export function explain({ code, message, suspension }, place) {
  if (suspension) return S.suspended(suspension.untilMs === undefined ? null : untilTime(suspension.untilMs, Date.now()), visible(suspension.reason ?? ''));
  if (message && code === TOLD[place]) return visible(message);
  return S.errors[PLACES[place]?.[code] ?? code] ?? message;
}
