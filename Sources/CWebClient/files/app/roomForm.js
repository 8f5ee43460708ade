// The form about a room: its fields, who may change each, the body of the call, and errors by field. No DOM here.
import { explain } from '../shared/errors.js';
import { scalarCount } from '../shared/format.js';
import { R } from '../shared/roomStrings.js';
import { S } from '../shared/strings.js';

/** The maximum lengths of texts, in Unicode scalars. */
export const LIMITS = { title: 64, topic: 250, description: 2000, rules: 4000 };
/** The pauses of slow mode to choose from, in seconds. */
export const PAUSES = [0, 5, 10, 30, 60, 300, 900, 3_600, 21_600];
/** The rights of a room, with the holders of the rights that were not changed. */
export const RIGHTS = { write: 'everyone', attach: 'everyone', mention: 'everyone', add: 'moderators' };

/** The fields that moderators change too, and the fields that only the owner changes (docs/rights.md). */
const SHARED = ['topic', 'description', 'rules', 'slow'];
const OWNERS = ['title', 'visibility', 'history', ...Object.keys(RIGHTS)];
/** The names of fields in calls and in errors of the server, where they differ. */
const NAMES = { slow: 'slow_mode_seconds' };

/** Whether a user may change anything of a room. */
export const isManager = (role) => role === 'owner' || role === 'moderator';

/** The fields that a user may change. @param thread as the server answers @returns names */
export function changeable({ role, kind }) {
  const own = role === 'owner' ? OWNERS.filter((name) => name !== 'visibility' || kind === 'room') : [];
  return isManager(role) ? [...own, ...SHARED] : [];
}

/** The value of each field. @param thread as the server answers; what is missing has its default */
export const valuesOf = (thread) => ({
  title: thread.title ?? '', topic: thread.topic ?? '', description: thread.description ?? '', rules: thread.rules ?? '',
  visibility: thread.visibility ?? 'private', history: thread.history ?? 'all', slow: `${thread.slow_mode_seconds ?? 0}`, ...RIGHTS, ...thread.rights,
});

/** The pauses to choose from, with the present one, which another client may have set. */
export const pausesWith = (present) => [...new Set([...PAUSES, Number(present)])].sort((a, b) => a - b);

/**
 * The body of the call that changes a room.
 * @param before the values that the server has @param after the values in the form
 * @param names the fields that the user may change
 * @returns `null` if all of them are as they were
 */
export function changesOf(before, after, names) {
  const changed = names.filter((name) => after[name].trim() !== before[name].trim());
  const fields = changed.filter((name) => !(name in RIGHTS)).map((name) => [NAMES[name] ?? name, name === 'slow' ? Number(after.slow) : after[name].trim()]);
  const rights = changed.filter((name) => name in RIGHTS).map((name) => [name, after[name]]);
  if (changed.length === 0) return null;
  return { ...Object.fromEntries(fields), ...(rights.length > 0 && { rights: Object.fromEntries(rights) }) };
}

/** The errors that need no call, as texts by field. @param names the fields that the user may change */
export function errorsIn(values, names) {
  const errors = {};
  for (const [name, limit] of Object.entries(LIMITS)) {
    const count = names.includes(name) ? scalarCount(values[name].trim()) : 0;
    if (count > limit) errors[name] = R.tooLong(count - limit, limit);
  }
  if (names.includes('title') && values.title.trim() === '') errors.title = S.errors.titleInvalid;
  return errors;
}

/**
 * The explanation of a call that failed, and the field that it is about.
 * @param error of the call @param body of the call
 * @returns `{field, text}`; without a field, the text is about the whole form
 */
export function failureOf(error, body) {
  const { code, message = '' } = error;
  // The title is free for a room that is not public.
  if (code === 'conflict') return body.title === undefined && body.visibility === 'public' ? { field: 'visibility', text: R.titleTaken } : { field: 'title', text: S.errors.titleTaken };
  // The server's texts are for developers, but begin with the name of the field.
  const named = message.match(/^\w*/)[0];
  const field = [...OWNERS, ...SHARED].find((name) => (NAMES[name] ?? name) === named);
  if (!field || (code !== 'bad_request' && code !== 'too_large')) return { text: code === 'forbidden' ? R.forbidden : explain(error) };
  if (field === 'title') return { field, text: S.errors.titleInvalid };
  if (code === 'too_large' && LIMITS[field]) return { field, text: R.longest(LIMITS[field]) };
  return { field, text: field in LIMITS ? R.unseen : S.errors.bad_request };
}

/** Sentences for members: changed rights, and slow mode. @param values see `valuesOf` */
export function factsOf(values) {
  const facts = Object.keys(RIGHTS).filter((name) => values[name] !== RIGHTS[name]).map((name) => R.facts[name]);
  if (Number(values.slow) > 0) facts.push(R.slowFact(R.pause(Number(values.slow))));
  return facts;
}
