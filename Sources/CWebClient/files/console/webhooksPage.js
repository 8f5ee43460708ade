// The elements of the webhooks in the console: two forms have the same fields, so they are made here.
import { element } from '../shared/dom.js';

const PLAIN = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false };
const PLACES = { end: 'new events only', start: 'all stored events', cursor: 'the events after a cursor' };
const KEYS = { 'hmac-sha256': 'shared (HMAC-SHA256)', ed25519: 'public key (Ed25519)' };

/** Appends the elements to the section of the page. */
export function makeWebhooksPage(section) {
  section.append(secretPart(), element('div', { id: 'webhook-content', hidden: true }, list(), addition()), openedPart());
}

const hidden = (text) => element('span', { class: 'hidden' }, text);
const button = (id, text, properties = {}) => element('button', { id, type: 'button', ...properties }, text);
const submit = (id, text) => element('button', { id, type: 'submit' }, text);
const status = (id) => element('p', { id, class: 'hint', hidden: true, attributes: { role: 'status' } });
const alert = (id) => element('p', { id, class: 'error', hidden: true, attributes: { role: 'alert' } });

/** @param heads the titles of the columns; a `#` before a title marks a column of numbers */
function table(id, rows, heads) {
  const cells = heads.map((head) => element('th', { scope: 'col', class: head.startsWith('#') ? 'number' : '' }, head.replace('#', '')));
  const actions = element('th', { scope: 'col' }, hidden('Actions'));
  return element('table', { id, class: 'audit', hidden: true },
    element('thead', {}, element('tr', {}, ...cells, actions)), element('tbody', { id: rows }));
}

function field(id, label, hint, properties) {
  const text = element('label', { htmlFor: id }, label);
  if (hint) text.append(' ', element('span', { class: 'hint' }, `– ${hint}`));
  return element('div', {}, text, element('input', { id, ...PLAIN, ...properties }));
}

function choice(id, label, options) {
  const children = Object.entries(options).map(([value, text]) => element('option', { value }, text));
  return element('div', {}, element('label', { htmlFor: id }, label), element('select', { id }, ...children));
}

/** A choice of a place, and the field for a cursor, which is shown for that choice only. */
function place(id, label) {
  const cursor = field(`${id}-cursor`, 'Cursor', null, { maxLength: 512 });
  cursor.id = `${id}-cursor-part`;
  cursor.hidden = true;
  return [choice(`${id}-place`, label, PLACES), cursor];
}

const settings = (id) => [
  field(`${id}-url`, 'URL', null, { type: 'url', maxLength: 2048, required: true }),
  field(`${id}-kinds`, 'Kinds of events', 'such as message, edited; all if left empty', { maxLength: 200 }),
  field(`${id}-thread`, 'Thread id', 'all if left empty', { maxLength: 90 }),
  field(`${id}-user`, 'User, by name or id', 'all if left empty', { maxLength: 150 }),
  field(`${id}-batch`, 'Events in a request', '1 to 200', { inputMode: 'numeric', maxLength: 3, defaultValue: '1', required: true }),
];

function secretPart() {
  return element('div', { id: 'webhook-secret-part', class: 'note', hidden: true },
    element('label', { id: 'webhook-secret-label', htmlFor: 'webhook-secret' }),
    element('input', { id: 'webhook-secret', ...PLAIN, readOnly: true }),
    button('webhook-secret-done', 'I have stored it'));
}

const list = () =>
  table('webhook-table', 'webhook-rows', ['Endpoint', 'Events', 'State', '#Behind', '#Waiting threads', '#Dead letters']);

function addition() {
  return element('details', { id: 'webhook-make', class: 'make' }, element('summary', {}, 'Add an endpoint'),
    element('form', { id: 'webhook-add', class: 'actions' }, ...settings('webhook-add'), ...place('webhook-add', 'It gets'),
      choice('webhook-add-key', 'Kind of the secret', KEYS),
      choice('webhook-add-enabled', 'Begin', { yes: 'at once', no: 'when it is enabled' }),
      submit('webhook-add-submit', 'Add the endpoint')),
    alert('webhook-add-error'));
}

function openedPart() {
  return element('section', { id: 'webhook-part', hidden: true, attributes: { 'aria-labelledby': 'webhook-title' } },
    element('header', { class: 'detail-bar' },
      element('div', {}, element('h3', { id: 'webhook-title', tabIndex: -1 }), element('p', { id: 'webhook-id', class: 'id' })),
      button('webhook-close', 'Close', { class: 'small' })),
    element('dl', { id: 'webhook-facts', class: 'facts' }),
    element('form', { id: 'webhook-change', class: 'actions' }, ...settings('webhook'), submit('webhook-change-submit', 'Change')),
    element('form', { id: 'webhook-move', class: 'actions' }, ...place('webhook', 'Send again, or continue with'), submit('webhook-move-submit', 'Send')),
    element('form', { id: 'webhook-secrets', class: 'actions' }, choice('webhook-key', 'Kind of the new secret', KEYS),
      submit('webhook-secrets-submit', 'Make a new secret')),
    element('div', { class: 'buttons' }, button('webhook-old-secret', 'End the old secret', { hidden: true }),
      button('webhook-enable', 'Enable', { hidden: true }), button('webhook-disable', 'Disable'),
      button('webhook-delete', 'Delete the endpoint', { class: 'danger' })),
    status('webhook-done'), alert('webhook-error'),
    element('h3', {}, 'Dead letters'), status('letters-note'),
    table('letters-table', 'letters-rows', ['Event', 'Thread', 'Last attempt', '#Attempts', 'Reason']),
    element('div', { class: 'buttons' }, button('letters-more', 'Show more', { hidden: true }), button('letters-reload', 'Read again'),
      button('letters-replay', 'Send all again', { hidden: true })),
    alert('letters-error'));
}
