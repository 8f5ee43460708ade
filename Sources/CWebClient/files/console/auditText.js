// Texts and filters of the audit log. No DOM here.
import { visible } from '../shared/visible.js';

/** The parameters of a look-up, without empty ones. `from` and `to` are local times, as a `datetime-local` field has them. */
export function filterOf({ from, to, ...texts }) {
  const filter = Object.entries(texts).map(([name, value]) => [name, value.trim()]);
  filter.push(['from_ms', instant(from)], ['to_ms', instant(to)]);
  return Object.fromEntries(filter.filter(([, value]) => value !== ''));
}

function instant(text) {
  const time = new Date(text ?? '').getTime();
  return Number.isFinite(time) ? String(time) : '';
}

/** The party that acted. */
export function actorText({ kind, id, name }) {
  if (kind === 'command') return 'parley admin';
  if (kind === 'key') return `key ${visible(name ?? '')}`;
  return `${kind} ${visible(id ?? '')}`;
}

/** The change and its reason: `member → owner: promised`. */
export function stateText({ before, after, reason }) {
  const change = [before, after].filter(Boolean).map(value).join(' → ');
  if (!reason) return change || '–';
  return change ? `${change}: ${visible(reason)}` : visible(reason);
}

/** An object with one member. */
function value(state) {
  const [name, content] = Object.entries(state)[0] ?? ['', ''];
  if (name !== 'until_ms') return visible(String(content));
  return content === null ? 'no end' : `until ${new Date(content).toLocaleString()}`;
}
