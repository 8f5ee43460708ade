// The dialog for the user's settings: picture, profile, password, notifications, logout.
import * as api from './api.js';
import { labelled, later, openDialog } from './dialog.js';
import { explain } from '../shared/errors.js';
import { element, setText } from '../shared/dom.js';
import { longDate } from '../shared/format.js';
import { site } from '../shared/site.js';
import { S } from '../shared/strings.js';
import { avatarSection } from './viewAvatar.js';

/** @param onLogOut called with `{close, note}` of the dialog when the user wants to log out */
export async function openSettings(chat, onLogOut) {
  const name = element('input', { id: 'display-name', maxLength: 150, autocomplete: 'nickname' });
  const profile = saving(S.displayName, [[S.displayName, name]], async () => chat.learn([await api.changeMe({ display_name: name.value.trim() || null })]), S.saved, 'displayName');
  const picture = avatarSection(chat);
  const old = element('input', { id: 'old-password', type: 'password', autocomplete: 'current-password', required: true });
  const fresh = element('input', { id: 'new-password', type: 'password', autocomplete: 'new-password', required: true, minLength: 8 });
  const password = saving(S.changePassword, [[S.oldPassword, old], [S.newPassword, fresh]], async () => {
    await api.changeMe({ password: fresh.value, old_password: old.value });
    old.value = '';
    fresh.value = '';
    showDevices(devices, report);
  }, S.passwordChanged, 'password');
  // For password managers.
  password.prepend(element('input', {
    value: chat.me.username, autocomplete: 'username', hidden: true, readOnly: true, attributes: { 'aria-label': S.username },
  }));
  const notifications = element('button', { class: 'secondary', type: 'button', data: { action: 'open-notifications' } }, S.notifications);
  notifications.addEventListener('click', () => later(async () => {
    const part = await import('./viewNotifications.js');
    part.openNotifications(chat);
  }, report));
  const devices = element('ul', { class: 'choices', attributes: { 'aria-label': S.devices } });
  const logOut = element('button', { id: 'logout', class: 'danger', type: 'button' }, S.logOut);
  // What the site of the app does is not offered here.
  const own = site.profile ? [element('a', { class: 'secondary', href: site.profile, target: '_top', id: 'site-profile' }, S.profile)] : [picture.section, profile];
  const passwords = site.passwords ? [password] : [];
  const account = site.login ? [] : [...passwords, element('section', { class: 'section' }, element('h3', {}, S.devices), devices)];
  const leaving = site.login && !site.logout ? [] : [element('div', { class: 'dialog-actions' }, logOut)];
  const { close, note: report } = openDialog(chat.nameFor(chat.me.id, chat.me.username), ...own, element('div', { class: 'dialog-actions' }, notifications), ...account, ...leaving);
  logOut.addEventListener('click', () => onLogOut({ close, note: report }));
  if (!site.login) showDevices(devices, report);
  if (site.profile) return;
  try {
    const me = await api.me();
    name.value = me.display_name ?? '';
    picture.shown(me);
  } catch {
    // Without a connection the field stays empty, and saving reports the reason.
  }
}

/**
 * The sessions of the user, page by page. Each other session has a button to end it, and one button ends all of them.
 */
async function showDevices(list, note, cursor) {
  const button = (text, action, onClick) => {
    const made = element('button', { class: 'secondary', type: 'button', data: { action } }, text);
    made.addEventListener('click', onClick);
    return made;
  };
  const ending = (end) => async () => {
    try {
      await end();
    } catch (error) {
      note(explain(error));
    }
    showDevices(list, note);
  };
  try {
    const page = await api.sessions(cursor);
    const rows = page.sessions.map((session) => {
      const until = element('span', { class: 'hint' }, ` ${S.loggedInUntil(longDate(session.expires_ms))}`);
      const name = session.current ? S.thisDevice : S.otherDevice;
      const row = element('li', { class: 'member' }, element('span', { class: 'choice-name' }, name, until));
      if (!session.current) row.append(button(S.endDevice, 'end-device', ending(() => api.endSession(session.id))));
      return row;
    });
    if (cursor) list.lastElementChild?.remove();
    else list.replaceChildren();
    list.append(...rows);
    const actions = [];
    if (page.next_cursor) actions.push(button(S.moreDevices, 'more-devices', () => showDevices(list, note, page.next_cursor)));
    if (list.children.length > 1) actions.push(button(S.endOtherDevices, 'end-devices', ending(api.endOtherSessions)));
    // The next page replaces this row.
    if (cursor || actions.length) list.append(element('li', { class: 'member' }, ...actions));
  } catch (error) {
    note(explain(error));
  }
}

/** A form that shows its result. @param place see `explain` */
function saving(label, fields, save, success, place) {
  const outcome = element('p', { class: 'hint', attributes: { role: 'status' } });
  const button = element('button', { class: 'secondary', type: 'submit' }, S.save);
  const form = element('form', { class: 'stack section', attributes: { 'aria-label': label } },
    ...fields.map(([name, field]) => labelled(name, field)), button, outcome);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await save();
      outcome.className = 'hint';
      setText(outcome, success);
    } catch (error) {
      outcome.className = 'error';
      setText(outcome, explain(error, place));
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
