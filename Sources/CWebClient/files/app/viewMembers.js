// The dialog of a room: members with their roles, adding and removing, mutes and bans, leaving.
import * as api from './api.js';
import { ask, labelled, later, openDialog } from './dialog.js';
import { explain } from '../shared/errors.js';
import { avatar, element, iconButton, setText, showAvatar } from '../shared/dom.js';
import { mayActOn } from './sanctions.js';
import { S } from '../shared/strings.js';
import { openOwner } from './viewOwner.js';
import { Sanctions } from './viewSanctions.js';
import { visible } from '../shared/visible.js';

/** The maximum number of members shown. */
const MAX_MEMBERS = 1_000;

export async function openMembers(chat) {
  const thread = chat.openThread;
  if (!thread) return;
  const isManager = thread.role === 'owner' || thread.role === 'moderator';
  const status = element('p', { class: 'hint', attributes: { role: 'status' } }, S.loading);
  const list = element('ul', { class: 'choices members' });
  const actions = element('div', { class: 'dialog-actions' });
  const sanctions = new Sanctions({ thread, me: chat.me.id, nameOf: (user) => nameOf(user), change });
  const { dialog, close, note } = openDialog(visible(thread.title), ...forms(), status, list, sanctions.section, actions);
  const pictures = new Map();
  const names = new Map();
  // Two members may have the same display name.
  const nameOf = ({ id, username, display_name: loaded }) => {
    const name = chat.profiles.has(id) ? chat.profiles.nameOf(id) : loaded;
    return name ? `${visible(name)} (${visible(username)})` : visible(username);
  };
  // Shows the pictures and names of the members in view, when they are known.
  const showPictures = (nodes) => {
    for (const node of nodes) {
      const user = pictures.get(node);
      showAvatar(node, user.id, chat.nameFor(user.id, user.username), chat.profiles.get(user.id));
      setText(names.get(node), user.id === chat.me.id ? `${nameOf(user)} (${S.you})` : nameOf(user));
    }
  };
  const inView = new Set();
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) inView[isIntersecting ? 'add' : 'delete'](target);
    showPictures(inView);
  });
  const unsubscribe = chat.profiles.subscribe(() => showPictures(inView));
  dialog.addEventListener('close', () => {
    unsubscribe();
    seen.disconnect();
  });
  let roles = new Map();
  let others = [];

  /** Runs a call, then shows the members again. */
  async function change(call, place) {
    note(null);
    try {
      await call();
    } catch (error) {
      note(explain(error, place));
    }
    await show();
  }

  async function show() {
    try {
      const members = [];
      let cursor;
      do {
        const page = await api.members(thread.id, cursor);
        members.push(...page.members);
        cursor = page.next_cursor ?? undefined;
      } while (cursor && members.length < MAX_MEMBERS);
      setText(status, S.memberCount(members.length));
      chat.learn(members.map(({ user }) => user));
      pictures.clear();
      names.clear();
      inView.clear();
      await keepFocus(() => list.replaceChildren(...members.map(row)));
      others = members.filter(({ user }) => user.id !== chat.me.id).map(({ user }) => ({ user, name: nameOf(user) }));
      roles = new Map(members.map(({ user, role }) => [user.id, role]));
    } catch (error) {
      setText(status, '');
      note(explain(error));
    }
    if (isManager) await keepFocus(() => sanctions.show(roles).catch((error) => note(explain(error))));
  }

  /** Runs what replaces rows. The focus stays on the same control of the same user, or moves to the heading. */
  async function keepFocus(replace) {
    const { activeElement } = document;
    const { user, kind } = activeElement?.closest('li')?.dataset ?? {};
    await replace();
    if (user === undefined || document.activeElement !== document.body) return;
    const control = activeElement.dataset.action ? `[data-action="${activeElement.dataset.action}"]` : activeElement.tagName;
    const row = `li[data-user="${CSS.escape(user)}"]${kind ? `[data-kind="${kind}"]` : ':not([data-kind])'}`;
    (dialog.querySelector(`${row} ${control}`) ?? dialog.querySelector('h2')).focus({ preventScroll: true });
  }

  function row({ user, role }) {
    const isMe = user.id === chat.me.id;
    const shownName = nameOf(user);
    const mayChange = !isMe && mayActOn(role, thread.role);
    const name = element('span', { class: 'choice-name' }, isMe ? `${shownName} (${S.you})` : shownName);
    const picture = avatar(user.id, chat.nameFor(user.id, user.username));
    const result = element('li', { class: 'member', data: { user: user.id } }, picture, name);
    pictures.set(picture, user);
    names.set(picture, name);
    seen.observe(picture);
    if (!mayChange) {
      result.append(element('span', { class: 'hint' }, S.roles[role] ?? role));
      return result;
    }
    const grants = thread.role === 'owner' ? Object.keys(S.roles) : ['member', 'read_only'];
    const select = element('select', { attributes: { 'aria-label': S.roleOf(shownName) } },
      ...grants.map((each) => element('option', { value: each, selected: each === role }, S.roles[each])));
    select.addEventListener('change', () => change(() => api.setMember(thread.id, api.byID(user.id), select.value)));
    const remove = iconButton('close', S.removeMember(shownName), { data: { action: 'remove-member' } });
    remove.addEventListener('click', async () => {
      if (await ask(S.removeMemberQuestion(shownName), S.removeFromRoom)) change(() => api.removeMember(thread.id, user.id));
    });
    const sanction = iconButton('bar', S.sanctionMember(shownName), { data: { action: 'open-sanction' } });
    sanction.addEventListener('click', () => sanctions.open(user));
    result.append(element('span', { class: 'member-actions' }, select, remove, sanction));
    return result;
  }

  function forms() {
    if (!isManager && !(thread.role === 'member' && thread.room?.rights.add === 'everyone')) return [];
    const field = element('input', { id: 'invite-name', autocomplete: 'off', autocapitalize: 'none', spellcheck: false });
    const form = element('form', { class: 'inline' }, labelled(S.invite, field), element('button', { class: 'secondary', type: 'submit' }, S.add));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const name = field.value.trim();
      if (!name) return;
      change(async () => {
        await api.setMember(thread.id, api.byName(name));
        field.value = '';
      }, 'member');
    });
    return [form];
  }

  const open = (action, label, perform) => {
    const button = element('button', { class: 'secondary', type: 'button', data: { action } }, label);
    button.addEventListener('click', perform);
    actions.append(button);
  };
  const openLater = (action, label, load) => open(action, label, () => later(load, note));
  openLater('open-room', isManager ? S.roomSettings : S.aboutRoom, async () => {
    const room = await import('./viewRoom.js');
    room.openRoom(thread.id, thread.role);
  });
  openLater('open-notifications', S.notifications, async () => {
    const part = await import('./viewNotifications.js');
    part.openThreadNotifications(chat, thread, chat.titleOf(thread));
  });
  if (isManager) {
    openLater('open-entrances', S.openEntrances, async () => {
      const entrances = await import('./viewEntrances.js');
      entrances.openEntrances(chat, thread);
    });
  }
  if (thread.role === 'owner') {
    open('open-owner', S.handOverTitle, () => openOwner(thread, others, () => {
      close();
      chat.client.refresh();
    }));
  }

  const act = (label, question, action) => {
    const button = element('button', { class: 'danger', type: 'button' }, label);
    button.addEventListener('click', async () => {
      if (!(await ask(question, label))) return;
      try {
        await action();
        close();
        location.hash = '#/';
      } catch (error) {
        note(explain(error));
      }
    });
    actions.append(button);
  };
  act(S.leave, S.leaveQuestion(visible(thread.title)), () => chat.client.leave(thread.id));
  if (thread.role === 'owner') act(S.deleteRoom, S.deleteRoomQuestion(visible(thread.title)), () => api.deleteRoom(thread.id));
  await show();
}
