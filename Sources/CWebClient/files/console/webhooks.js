// The endpoints that are sent stored events: their state, settings, secrets and places.
import * as api from './api.js';
import { confirm } from './confirm.js';
import { DeadLettersView } from './deadLetters.js';
import { placeOf } from './eventGroupsText.js';
import { makeWebhooksPage } from './webhooksPage.js';
import {
  additionOf, changesOf, factsOf, hostOf, isFailing, placeText, rowOf, secretText, valuesOf,
} from './webhooksText.js';
import { byID, element, reconcile, setAttribute, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

const FIELDS = ['url', 'kinds', 'thread', 'user', 'batch'];
const LABELS = ['Endpoint', 'Events', 'State', 'Behind', 'Waiting threads', 'Dead letters'];

export class WebhooksView {
  /** Counts look-ups, so that the answer to an earlier one is ignored. */
  #turn = 0;
  #webhooks = [];
  /** The ID of the endpoint that is opened. */
  #opened = null;
  #letters;

  constructor() {
    makeWebhooksPage(byID('webhooks'));
    this.#letters = new DeadLettersView(() => this.refresh());
    byID('webhooks').addEventListener('toggle', () => this.refresh());
    for (const form of ['webhook-add', 'webhook']) {
      byID(`${form}-place`).addEventListener('change', () => showCursor(form));
    }
    this.#onSubmit('webhook-add', () => this.#add());
    this.#onSubmit('webhook-change', () => this.#change());
    this.#onSubmit('webhook-move', () => this.#move());
    this.#onSubmit('webhook-secrets', () => this.#addSecret());
    this.#onClick('webhook-old-secret', () => this.#endSecret());
    this.#onClick('webhook-enable', () => api.changeWebhook(this.#opened, { enabled: true }));
    this.#onClick('webhook-disable', () => this.#disable());
    this.#onClick('webhook-delete', () => this.#delete());
    byID('webhook-close').addEventListener('click', () => this.#close());
    byID('webhook-secret').addEventListener('focus', () => byID('webhook-secret').select());
    byID('webhook-secret-done').addEventListener('click', () => {
      hideSecret();
      this.#focus();
    });
  }

  /** Forgets the endpoints, and a secret that is shown, for another login. */
  clear() {
    this.#turn += 1;
    this.#webhooks = [];
    this.#forget();
    hideSecret();
    byID('webhooks').open = false;
    byID('webhook-make').open = false;
    byID('webhook-add').reset();
    showCursor('webhook-add');
    byID('webhook-rows').replaceChildren();
    byID('webhook-content').hidden = true;
    setNote(byID('webhook-note'), null);
  }

  /** Reads the endpoints, if the list is open. */
  async refresh() {
    if (!byID('webhooks').open) return;
    this.#turn += 1;
    const turn = this.#turn;
    // The events contain texts, which operators do not see, so a session may not direct them to an endpoint.
    if (!api.key()) return setNote(byID('webhook-note'), 'Webhooks need an API key: sign out, and open the console with one.');
    try {
      const webhooks = await api.webhooks();
      if (turn !== this.#turn) return;
      this.#webhooks = webhooks;
      this.#render();
      setNote(byID('webhook-note'), webhooks.length ? null : 'No endpoint gets events.');
    } catch (error) {
      if (turn === this.#turn) setNote(byID('webhook-note'), error.message);
    }
  }

  // The list

  #render() {
    byID('webhook-content').hidden = false;
    byID('webhook-table').hidden = this.#webhooks.length === 0;
    const now = Date.now();
    reconcile(byID('webhook-rows'), this.#webhooks.map((webhook) => ({ key: webhook.id, webhook })),
      ({ key }) => this.#makeRow(key), (row, { webhook }) => this.#updateRow(row, webhook, now));
    const webhook = this.#webhook();
    if (webhook) this.#renderOpened(webhook, now);
    else if (this.#opened) this.#forget();
  }

  #makeRow(id) {
    const row = element('tr', {}, ...LABELS.map((label) => element('td', { data: { label } })));
    for (const index of [3, 4, 5]) row.children[index].classList.add('number');
    const open = element('button', { type: 'button', class: 'link' }, 'Open');
    open.addEventListener('click', () => this.#open(id));
    row.append(element('td', { data: { label: '' } }, open));
    return row;
  }

  #updateRow(row, webhook, now) {
    for (const [index, text] of rowOf(webhook, now).entries()) setText(row.children[index], text);
    row.children[2].classList.toggle('bad-text', !webhook.enabled || isFailing(webhook));
    row.children[5].classList.toggle('bad-text', webhook.dead_letters > 0);
    const open = row.lastElementChild.firstElementChild;
    setAttribute(open, 'aria-label', `Open the webhook ${visible(webhook.url)}`);
    setAttribute(open, 'aria-expanded', webhook.id === this.#opened);
  }

  // One endpoint

  /** The endpoint that is opened, in its present state; `undefined` if there is none. */
  #webhook() {
    return this.#webhooks.find(({ id }) => id === this.#opened);
  }

  #open(id) {
    this.#forget();
    this.#opened = id;
    this.#fill();
    this.#render();
    byID('webhook-title').focus();
    this.#letters.open(id);
  }

  /** Puts the present settings into the form. A look-up leaves the form alone, so that it does not disturb an edit. */
  #fill() {
    const values = valuesOf(this.#webhook());
    for (const name of FIELDS) byID(`webhook-${name}`).value = values[name];
  }

  #renderOpened(webhook, now) {
    byID('webhook-part').hidden = false;
    setText(byID('webhook-title'), visible(hostOf(webhook.url)));
    setText(byID('webhook-id'), webhook.id);
    reconcile(byID('webhook-facts'), factsOf(webhook, now).map(([key, value]) => ({ key, value })),
      ({ key }) => element('div', {}, element('dt', {}, key), element('dd')),
      (row, { value }) => setText(row.lastElementChild, value));
    byID('webhook-enable').hidden = webhook.enabled && !isFailing(webhook) && webhook.waiting_threads === 0;
    setText(byID('webhook-enable'), webhook.enabled ? 'Try again now' : 'Enable');
    byID('webhook-disable').hidden = !webhook.enabled;
    byID('webhook-old-secret').hidden = webhook.secrets < 2;
  }

  #close() {
    const button = [...byID('webhook-rows').children].find((row) => row.dataset.key === this.#opened)?.querySelector('button');
    this.#forget();
    this.#render();
    button?.focus();
  }

  /** Moves the focus from an element that has disappeared. */
  #focus() {
    (this.#opened ? byID('webhook-title') : byID('webhooks').querySelector('summary')).focus();
  }

  /** Closes the endpoint. A secret stays until the operator has stored it. */
  #forget() {
    this.#opened = null;
    this.#letters.clear();
    byID('webhook-part').hidden = true;
    byID('webhook-move').reset();
    showCursor('webhook');
    for (const note of ['webhook-error', 'webhook-done']) setNote(byID(note), null);
  }

  // Changes

  async #add() {
    const values = Object.fromEntries(FIELDS.map((name) => [name, byID(`webhook-add-${name}`).value]));
    const after = placeOf(byID('webhook-add-place').value, byID('webhook-add-cursor').value);
    const enabled = byID('webhook-add-enabled').value === 'yes';
    const made = await api.addWebhook(additionOf(values, { after, key: byID('webhook-add-key').value, enabled }));
    byID('webhook-add').reset();
    showCursor('webhook-add');
    byID('webhook-make').open = false;
    await this.refresh();
    // The secret is shown even if the list could not be read.
    if (this.#webhooks.some(({ id }) => id === made.id)) this.#open(made.id);
    showSecret(made.secret, made.url);
  }

  async #change() {
    const values = Object.fromEntries(FIELDS.map((name) => [name, byID(`webhook-${name}`).value]));
    await api.changeWebhook(this.#opened, changesOf(values, this.#webhook()));
    await this.refresh();
    if (this.#webhook()) this.#fill();
    setNote(byID('webhook-done'), 'The settings take effect within four seconds.');
  }

  async #move() {
    const [id, place] = [this.#opened, byID('webhook-place').value];
    const after = placeOf(place, byID('webhook-cursor').value);
    if (!await confirm({ ...placeText(this.#webhook(), place), action: 'Send' })) return;
    await api.changeWebhook(id, { after });
    byID('webhook-cursor').value = '';
    setNote(byID('webhook-done'), 'It continues there within four seconds.');
  }

  async #addSecret() {
    const { id, url } = this.#webhook();
    if (!await confirm({ ...secretText(this.#webhook()), action: 'Make a secret' })) return;
    showSecret(await api.addWebhookSecret(id, byID('webhook-key').value), url);
  }

  async #endSecret() {
    const { id, url } = this.#webhook();
    const isMeant = await confirm({
      title: `End the old secret of ${visible(hostOf(url))}?`,
      text: 'Requests are signed with the new one only. A receiver that does not know it refuses them.',
      action: 'End',
    });
    if (isMeant) await api.endWebhookSecret(id);
  }

  async #disable() {
    const { id, url } = this.#webhook();
    const isMeant = await confirm({
      title: `Disable ${visible(hostOf(url))}?`,
      text: 'It gets no events until it is enabled, and then continues from its place.',
      action: 'Disable',
    });
    if (isMeant) await api.changeWebhook(id, { enabled: false });
  }

  async #delete() {
    const { id, url, dead_letters: letters } = this.#webhook();
    const isMeant = await confirm({
      title: `Delete ${visible(hostOf(url))}?`,
      text: `Its place, its secrets and its dead letters (${letters}) are forgotten.`,
      action: 'Delete',
      name: hostOf(url),
    });
    if (!isMeant) return;
    await api.deleteWebhook(id);
    this.#forget();
    this.#focus();
  }

  #onSubmit(form, action) {
    byID(form).addEventListener('submit', (event) => {
      event.preventDefault();
      const error = form === 'webhook-add' ? 'webhook-add-error' : 'webhook-error';
      this.#run(byID(`${form}-submit`), error, action);
    });
  }

  #onClick(button, action) {
    byID(button).addEventListener('click', () => this.#run(byID(button), 'webhook-error', action));
  }

  async #run(button, error, action) {
    button.disabled = true;
    for (const note of [error, 'webhook-done']) setNote(byID(note), null);
    try {
      await action();
      await this.refresh();
    } catch (reason) {
      setNote(byID(error), reason.message);
    } finally {
      button.disabled = false;
      if (this.#opened && button.hidden) this.#focus();
    }
  }
}

/** Shows the field for a cursor if the place is one. */
function showCursor(form) {
  const isCursor = byID(`${form}-place`).value === 'cursor';
  byID(`${form}-cursor-part`).hidden = !isCursor;
  byID(`${form}-cursor`).required = isCursor;
}

function showSecret(secret, url) {
  byID('webhook-secret-part').hidden = false;
  setText(byID('webhook-secret-label'), `The secret for ${visible(hostOf(url))}, which is not shown again`);
  byID('webhook-secret').value = secret;
  byID('webhook-secret').focus();
}

function hideSecret() {
  byID('webhook-secret-part').hidden = true;
  byID('webhook-secret').value = '';
}
