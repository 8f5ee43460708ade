// Invitations, requests and links, as the page shows them and asks for them. No DOM here.
import { untilTime } from '../shared/format.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** The times that a link or an invitation can last, in seconds, by their names in `S.lifetimes`. The last one has no end. */
export const LIFETIMES = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, endless: undefined };
/** The numbers of uses of a link to choose from, by their names in `S.linkUses`. */
export const USES = { one: 1, ten: 10, hundred: 100, any: undefined };
/** The maximum length of the text of an invitation or a request. */
export const TEXT_LIMIT = 500;

/** The code in the address of the page, `#/join/CODE`; `null` without one. */
export const codeOf = (hash) => hash.match(/^#\/join\/([A-Za-z0-9_-]{1,128})$/)?.[1] ?? null;

/** The address to give to others. @param place the address of the page */
export function linkAddress(code, place) {
  const url = new URL(place);
  url.search = '';
  url.hash = `#/join/${code}`;
  return url.href;
}

/** The body of a call that makes a link. @param lifetime a key of `LIFETIMES` @param uses a key of `USES` */
export const linkFields = (lifetime, uses) => ({
  ...(LIFETIMES[lifetime] && { seconds: LIFETIMES[lifetime] }), ...(USES[uses] && { uses: USES[uses] }),
});

/** The body of a call that invites. @param lifetime a key of `LIFETIMES` */
export function invitationFields(lifetime, text) {
  const trimmed = text.trim();
  return { ...(trimmed && { text: trimmed }), ...(LIFETIMES[lifetime] && { seconds: LIFETIMES[lifetime] }) };
}

const end = (until, now) => (until === undefined ? null : untilTime(until, now));

/** A link in the list for moderators. */
export function linkText({ uses, used, until_ms: until }, now) {
  if (until !== undefined && until <= now) return S.linkExpired;
  if (uses !== undefined && used >= uses) return S.linkUsedUp;
  return S.linkState(used, uses ?? null, end(until, now));
}

/** An invitation, for the invited user or for moderators. */
export const invitationText = ({ by, text, until_ms: until }, now) => S.invitedBy(visible(by.username), end(until, now), visible(text ?? ''));
