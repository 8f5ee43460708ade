// Texts and values of suspensions, mutes and bans. No DOM here.
import { span } from './format.js';
import { visible } from '../shared/visible.js';

/** The seconds in an hours field: `null` for an empty one. */
export function seconds(text) {
  const hours = Number(text.trim().replace(',', '.'));
  if (text.trim() === '') return null;
  if (!(hours > 0)) throw new Error('Enter a number of hours above 0, or leave the field empty for no end.');
  return Math.max(1, Math.round(hours * 3600));
}

/** The fields of a call, without empty ones. */
export function fields(hours, reason) {
  const time = seconds(hours);
  return { ...(time !== null && { seconds: time }), ...(reason.trim() && { reason: reason.trim() }) };
}

/** The end and the reason: `for 2 h more: spam`. */
export function rest({ until_ms: until, reason }, now) {
  const time = typeof until === 'number' ? `for ${span(until - now)} more` : 'until it is ended';
  return reason ? `${time}: ${visible(reason)}` : time;
}
