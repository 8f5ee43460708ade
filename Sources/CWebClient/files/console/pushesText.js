// Texts of the services for pushes. No DOM here.
import { count, span } from './format.js';
import { visible } from '../shared/visible.js';

/** The group of readers of the service that sends pushes. */
const GROUP = 'parley.push';

const SERVICES = [['apns', 'Apple (APNs)'], ['fcm', 'Google (FCM)'], ['web', 'browsers (Web Push)']];
const OUTCOMES = ['delivered', 'gone', 'retry', 'refused', 'misconfigured'];

/**
 * A row for each service: its name, the nodes with its key, and the attempts by outcome since the start of these nodes.
 * @param nodes the nodes of the overview
 * @returns `{kind, cells, isBad}`; `isBad` if attempts failed because of a setting, such as the key
 */
export function rowsOf(nodes) {
  const senders = nodes.filter((node) => node.persister);
  return SERVICES.map(([kind, name]) => {
    const having = senders.filter((node) => node.pushes?.[kind]);
    const totals = OUTCOMES.map((outcome) => having.reduce((sum, node) => sum + node.pushes[kind][outcome], 0));
    const figures = having.length ? totals.map(count) : OUTCOMES.map(() => '–');
    return { kind, cells: [name, keyText(having, senders), ...figures], isBad: having.length > 0 && totals.at(-1) > 0 };
  });
}

/** Any process may take over the sending, so all of them need the key. */
function keyText(having, senders) {
  if (having.length === 0) return 'no';
  return having.length === senders.length ? 'yes' : `only on ${having.map(({ node }) => visible(node)).join(', ')}`;
}

/** The process that sends, and its lag. */
export function senderText(groups, now) {
  const group = groups.find(({ name }) => name === GROUP);
  if (!group) return 'No process has sent pushes yet.';
  const behind = group.lag_ms === null ? 'nothing is unread' : `the oldest unread event is ${span(group.lag_ms)} old`;
  if (!group.worker || group.lease_until_ms <= now) return `No process sends at present; ${behind}.`;
  return `${visible(group.worker)} sends; ${behind}.`;
}
