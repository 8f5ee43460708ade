// The dialog of a room or group for its moderators: requests, invitations and links.
import * as api from './api.js';
import { labelled, openDialog } from './dialog.js';
import { element, setNote, setText } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';
import { invitationFields, invitationText, LIFETIMES, linkAddress, linkFields, linkText, TEXT_LIMIT, USES } from './waysIn.js';

/** The maximum number of rows of each list. */
const MAX_ROWS = 1_000;
const calls = api.entrances;

/** All pages of a list. */
async function all(load, name) {
  const rows = [];
  let cursor;
  do {
    const page = await load(cursor);
    rows.push(...page[name]);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && rows.length < MAX_ROWS);
  return rows;
}

const select = (id, values, labels, chosen) => element('select', { id },
  ...Object.keys(values).map((value) => element('option', { value, selected: value === chosen }, labels[value])));

const button = (action, label, name, perform, className = 'secondary') => {
  const result = element('button', { class: className, type: 'button', data: { action }, attributes: { 'aria-label': name } }, label);
  result.addEventListener('click', perform);
  return result;
};

const row = (key, title, text, ...buttons) => element('li', { class: 'sanction way-in', data: { key } },
  element('span', { class: 'choice-name' }, element('strong', { dir: 'auto' }, title), element('span', { class: 'hint', dir: 'auto' }, text)),
  element('span', { class: 'member-actions' }, ...buttons));

export async function openEntrances(chat, thread) {
  const { id } = thread;
  const sections = Object.fromEntries(['requests', 'invitations', 'links'].map((name) => [name, section(S[name])]));
  const made = element('div', { class: 'stack', hidden: true });
  const status = element('p', { class: 'hint', attributes: { role: 'status' } }, S.loading);
  const invite = invitationForm();
  const link = linkForm();
  sections.invitations.node.append(invite);
  sections.links.node.append(link, made);
  const { dialog, note } = openDialog(S.waysInto(visible(thread.title)), status, ...Object.values(sections).map(({ node }) => node));
  const unsubscribe = chat.invitations.subscribe((changed) => { if (changed === id) show(); });
  dialog.addEventListener('close', unsubscribe);

  function section(heading) {
    const list = element('ul', { class: 'choices' });
    const none = element('p', { class: 'hint' }, S.noneYet);
    return { list, none, node: element('section', { class: 'sanctions stack section' }, element('h3', {}, heading), none, list) };
  }

  function fill({ list, none }, rows) {
    const key = document.activeElement?.closest('li')?.dataset.key;
    const hadFocus = list.contains(document.activeElement);
    const { action } = document.activeElement?.dataset ?? {};
    list.replaceChildren(...rows);
    none.hidden = rows.length > 0;
    if (!hadFocus) return;
    const same = key && list.querySelector(`li[data-key="${CSS.escape(key)}"] [data-action="${action}"]`);
    (same ?? dialog.querySelector('h2')).focus({ preventScroll: true });
  }

  /** Runs a call, then shows the lists again. What is gone already is not an error. */
  async function change(call, place) {
    note(null);
    let isDone = true;
    try {
      await call();
    } catch (error) {
      isDone = false;
      note(explain(error, place));
    }
    await show();
    return isDone;
  }

  async function show() {
    try {
      const [requests, invitations, links] = await Promise.all([
        all((cursor) => calls.requests(id, cursor), 'requests'), all((cursor) => calls.invitations(id, cursor), 'invitations'), all(() => calls.links(id), 'links'),
      ]);
      if (!dialog.isConnected) return;
      const now = Date.now();
      setText(status, '');
      fill(sections.requests, requests.map(requestRow));
      fill(sections.invitations, invitations.map((each) => invitationRow(each, now)));
      fill(sections.links, links.map((each) => linkRow(each, now)));
    } catch (error) {
      setText(status, '');
      note(explain(error));
    }
  }

  function requestRow({ user, text }) {
    const name = visible(user.username);
    return row(user.id, name, visible(text ?? ''),
      button('accept', S.letIn, S.letInName(name), () => change(() => calls.acceptRequest(id, api.byID(user.id)))),
      button('refuse', S.refuse, S.refuseName(name), () => change(() => calls.refuseRequest(id, api.byID(user.id))), 'danger'));
  }

  function invitationRow(invitation, now) {
    const { user } = invitation;
    const name = visible(user.username);
    return row(user.id, name, invitationText(invitation, now),
      button('withdraw', S.withdraw, S.withdrawFrom(name), () => change(() => calls.withdrawInvitation(id, api.byID(user.id)))));
  }

  function linkRow(each, now) {
    const text = linkText(each, now);
    return row(each.id, S.linkBy(chat.nameFor(each.by_id)), text,
      button('revoke', S.revoke, S.revokeLink(text), () => change(() => calls.revokeLink(id, each.id)), 'danger'));
  }

  function invitationForm() {
    const name = element('input', { id: 'way-name', autocomplete: 'off', autocapitalize: 'none', spellcheck: false, required: true, maxLength: 150 });
    const text = element('input', { id: 'way-text', autocomplete: 'off', maxLength: TEXT_LIMIT });
    const lifetime = select('way-lifetime', LIFETIMES, S.lifetimes, 'endless');
    const form = element('form', { class: 'stack' }, labelled(S.inviteName, name), labelled(S.inviteText, text), labelled(S.validFor, lifetime),
      element('button', { class: 'secondary', type: 'submit', data: { action: 'invite' } }, S.inviteVerb));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const user = name.value.trim();
      if (!user) return;
      if (await change(() => calls.invite(id, api.byName(user), invitationFields(lifetime.value, text.value)), 'invitation')) {
        name.value = '';
        text.value = '';
      }
    });
    return form;
  }

  function linkForm() {
    const lifetime = select('link-lifetime', LIFETIMES, S.lifetimes, 'week');
    const uses = select('link-uses', USES, S.linkUses, 'any');
    const form = element('form', { class: 'stack' }, labelled(S.validFor, lifetime), labelled(S.linkUsesLabel, uses),
      element('button', { class: 'secondary', type: 'submit', data: { action: 'make-link' } }, S.makeLink));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      let code = null;
      await change(async () => { ({ code } = await calls.createLink(id, linkFields(lifetime.value, uses.value))); }, 'link');
      if (code) showLink(linkAddress(code, location.href));
    });
    return form;
  }

  /** Shows the address of a new link, which cannot be shown again later. */
  function showLink(address) {
    const field = element('input', { id: 'link-address', readOnly: true, value: address, dir: 'ltr' });
    const copied = element('p', { class: 'hint', hidden: true, attributes: { role: 'status' } });
    const copy = element('button', { class: 'primary', type: 'button', data: { action: 'copy-link' } }, S.copy);
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(address);
        setNote(copied, S.copied);
      } catch {
        // Without permission the user copies the selected text.
        field.focus();
        field.select();
        setNote(copied, S.copyYourself);
      }
    });
    made.replaceChildren(labelled(S.newLink, field), element('p', { class: 'hint' }, S.linkOnce), element('div', { class: 'dialog-actions' }, copy), copied);
    made.hidden = false;
    copy.focus();
  }

  await show();
}
