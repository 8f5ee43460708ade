// Texts and values of webhooks and their dead letters. No DOM here.
import { ago, count, span } from './format.js';
import { visible } from '../shared/visible.js';

/** The maximum number of events of a request. */
const BATCH = 200;

/** Whether the last request of an endpoint that is enabled failed. */
export const isFailing = ({ enabled, success_ms: success, failure_ms: failure }) =>
  enabled && failure !== null && (success === null || failure > success);

/** The cells of an endpoint: its URL, its filters, its state, the lag, the threads that wait, and the dead letters. */
export function rowOf(webhook, now) {
  return [visible(webhook.url), filterText(webhook), stateText(webhook, now), lagText(webhook.lag_ms),
    count(webhook.waiting_threads), count(webhook.dead_letters)];
}

/** The state of an endpoint, with the reason if nothing is accepted. */
export function stateText(webhook, now) {
  if (!webhook.enabled) {
    const reason = visible(webhook.disabled ?? '');
    return reason.startsWith('disabled') ? reason : `disabled: ${reason}`;
  }
  if (!isFailing(webhook)) return webhook.waiting_threads > 0 ? 'enabled, some threads wait' : 'enabled';
  const { success_ms: success, failure_ms: failure } = webhook;
  const accepted = success === null ? 'nothing was accepted yet' : `nothing accepted since ${span(now - success)}`;
  return `failing, ${accepted}; last failure ${ago(failure, now)}: ${visible(webhook.failure ?? '')}`;
}

/** The age of the oldest event that the endpoint has not got, without the threads that wait. */
const lagText = (lag) => (lag === null ? 'nothing' : span(lag));

/** The events that an endpoint gets: `message, edited; thread 0190a1; up to 10 at a time`. */
export function filterText({ kinds, thread, user, batch }) {
  const parts = [kinds ? kinds.join(', ') : 'all kinds'];
  if (thread) parts.push(`thread ${visible(thread)}`);
  if (user) parts.push(`user ${visible(user)}`);
  if (batch > 1) parts.push(`up to ${batch} at a time`);
  return parts.join('; ');
}

/** The terms and texts below the title of an opened endpoint. */
export function factsOf(webhook, now) {
  const time = (ms) => (ms === null ? 'never' : ago(ms, now));
  return [
    ['State', stateText(webhook, now)],
    ['Added', time(webhook.created_ms)],
    ['Last accepted', time(webhook.success_ms)],
    ['Last failure', webhook.failure_ms === null ? 'never' : `${time(webhook.failure_ms)}: ${visible(webhook.failure ?? '')}`],
    ['Behind', lagText(webhook.lag_ms)],
    ['Threads that wait', count(webhook.waiting_threads)],
    ['Secrets', webhook.secrets > 1 ? 'a new and an old one' : 'one'],
    ['Cursor', webhook.cursor],
  ];
}

/** The texts of the form for an endpoint. */
export const valuesOf = ({ url, kinds, thread, user, batch }) =>
  ({ url, kinds: (kinds ?? []).join(', '), thread: thread ?? '', user: user ?? '', batch: `${batch}` });

/**
 * The settings of an endpoint from the texts of a form. An empty filter is `null`.
 * @throws an error that names what is wrong
 */
export function settingsOf({ url, kinds, thread, user, batch }) {
  const words = kinds.split(/[\s,]+/).filter(Boolean);
  const number = batch.trim() === '' ? 1 : Number(batch);
  if (url.trim() === '') throw new Error('Enter the URL of the endpoint.');
  if (!Number.isInteger(number) || number < 1 || number > BATCH) throw new Error(`Enter 1 to ${BATCH} events for each request.`);
  return { url: url.trim(), kinds: words.length ? words : null, thread: thread.trim() || null, user: user.trim() || null, batch: number };
}

/** The fields of a call that adds an endpoint: the settings that were entered, and the choices. */
export function additionOf(values, { after, key, enabled }) {
  const settings = Object.entries(settingsOf(values)).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(settings), after, key, enabled };
}

/**
 * The fields of a call that changes an endpoint: only what differs from it, so that changes by others stay.
 * @throws an error if nothing differs
 */
export function changesOf(values, webhook) {
  const [before, after] = [settingsOf(valuesOf(webhook)), settingsOf(values)];
  const kinds = (settings) => [...(settings.kinds ?? [])].sort().join();
  const isOther = (name) => (name === 'kinds' ? kinds(before) !== kinds(after) : before[name] !== after[name]);
  const changed = Object.entries(after).filter(([name]) => isOther(name));
  if (changed.length === 0) throw new Error('Nothing differs from the present settings.');
  return Object.fromEntries(changed);
}

/** The name of an endpoint in questions, and the text that confirms its deletion: the host of its URL. */
export function hostOf(url) {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

/** The question and the effect of a move to `start`, `end` or a cursor, for a confirmation. */
export function placeText(webhook, place) {
  const [where, effect] = {
    start: ['all stored events', 'Every stored event that passes its filters is sent, again or for the first time.'],
    end: ['new events only', 'What it has not got yet is left out.'],
    cursor: ['the events after this cursor', 'They are sent in order, also those that it has already got.'],
  }[place];
  const enabled = webhook.enabled ? '' : ' The endpoint is enabled.';
  return { title: `Send ${where} to ${visible(hostOf(webhook.url))}?`, text: `${effect} Threads that wait do not wait any longer.${enabled}` };
}

/** The question and the effect of a new secret, for a confirmation. */
export function secretText({ url, secrets }) {
  const old = secrets > 1
    ? 'Requests are signed with it and the newest one. The oldest one ends now.'
    : 'Requests are signed with it and the present one, until you end that.';
  return { title: `Make a new secret for ${visible(hostOf(url))}?`, text: `It is shown once. ${old}` };
}

/** The thread of an event, which is the first part of the ID of the event. */
export const threadOf = (event) => event.split(':').slice(0, -2).join(':');

/** The cells of a dead letter: the event, the time of the last attempt, the number of attempts, and the reason. */
export const letterRow = ({ event, attempts, reason, failed_ms: failed, replayed }) =>
  [visible(event), visible(threadOf(event)), new Date(failed).toLocaleString(), count(attempts),
    replayed ? `is sent again; ${visible(reason)}` : visible(reason)];

/** The number of dead letters that will be sent again. */
export function replayText(number) {
  if (number === 0) return 'They were about to be sent already.';
  return number === 1 ? '1 event is sent again.' : `${number} events are sent again.`;
}
