// The dialog of a room: members with their roles, adding and removing, the title, leaving.
import * as api from './api.js';
import { ask, labelled, openDialog, visibilitySelect } from './dialog.js';
import { explain } from '../shared/errors.js';
import { avatar, element, iconButton, setText, showAvatar } from '../shared/dom.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** The maximum number of members shown. */
const MAX_MEMBERS = 1_000;

export async function openMembers(chat) {
  const thread = chat.openThread;
  if (!thread) return;
  const status = element('p', { class: 'hint', attributes: { role: 'status' } }, S.loading);
  const list = element('ul', { class: 'choices members' });
  const actions = element('div', { class: 'dialog-actions' });
  const { dialog, close, note } = openDialog(visible(thread.title), ...forms(), status, list, actions);
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
  const isManager = thread.role === 'owner' || thread.role === 'moderator';

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
      list.replaceChildren(...members.map(row));
    } catch (error) {
      setText(status, '');
      note(explain(error));
    }
  }

  function row({ user, role }) {
    const isMe = user.id === chat.me.id;
    const shownName = nameOf(user);
    const isPlain = role === 'member' || role === 'read_only';
    const mayChange = !isMe && (thread.role === 'owner' || (isManager && isPlain));
    const name = element('span', { class: 'choice-name' }, isMe ? `${shownName} (${S.you})` : shownName);
    const picture = avatar(user.id, chat.nameFor(user.id, user.username));
    const result = element('li', { class: 'member' }, picture, name);
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
    const remove = iconButton('close', S.removeMember(shownName));
    remove.addEventListener('click', async () => {
      if (await ask(S.removeMemberQuestion(shownName), S.removeFromRoom)) change(() => api.removeMember(thread.id, user.id));
    });
    result.append(select, remove);
    return result;
  }

  function forms() {
    const result = [];
    const form = (label, field, action, submit) => {
      const button = element('button', { class: 'secondary', type: 'submit' }, action);
      const node = element('form', { class: 'inline' }, labelled(label, field), button);
      node.addEventListener('submit', (event) => {
        event.preventDefault();
        if (field.value.trim()) submit(field.value.trim());
      });
      result.push(node);
    };
    if (thread.role === 'owner' || thread.role === 'moderator') {
      const field = element('input', { id: 'invite-name', autocomplete: 'off', autocapitalize: 'none', spellcheck: false });
      form(S.invite, field, S.add, (name) => change(async () => {
        await api.setMember(thread.id, api.byName(name));
        field.value = '';
      }, 'member'));
    }
    if (thread.role === 'owner') {
      const field = element('input', { id: 'room-name', value: thread.title, maxLength: 64, autocomplete: 'off' });
      form(S.title, field, S.rename, (title) => change(() => api.rename(thread.id, title), 'title'));
      const select = visibilitySelect('room-visibility', thread.visibility);
      let { visibility } = thread;
      select.addEventListener('change', () => change(async () => {
        try {
          ({ visibility } = await api.setVisibility(thread.id, select.value));
        } finally {
          select.value = visibility;
        }
      }, 'title'));
      result.push(labelled(S.visibility, select));
    }
    return result;
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
  act(S.leave, S.leaveQuestion(visible(thread.title)), () => chat.leave(thread.id));
  if (thread.role === 'owner') act(S.deleteRoom, S.deleteRoomQuestion(visible(thread.title)), () => api.deleteRoom(thread.id));
  await show();
}
