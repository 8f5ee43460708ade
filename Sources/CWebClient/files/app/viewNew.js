// The dialog for a new conversation: rooms to join, a room to create, a person to write to.
import * as api from './api.js';
import { avatarPath } from './profiles.js';
import { debounced, historySelect, labelled, openDialog, visibilitySelect } from './dialog.js';
import { explain } from '../shared/errors.js';
import { avatar, element, reconcile, setAttribute } from '../shared/dom.js';
import { site } from '../shared/site.js';
import { S } from '../shared/strings.js';
import { groupPanel } from './viewGroup.js';
import { lookAlikes, searchPrefixes } from './titles.js';
import { visible } from '../shared/visible.js';

/** @param onOpened called with the id of the thread */
export function openNew(chat, onOpened) {
  const rooms = element('section', { id: 'new-rooms', attributes: { role: 'tabpanel', 'aria-labelledby': 'tab-rooms' } });
  const people = element('section', { id: 'new-people', hidden: true, attributes: { role: 'tabpanel', 'aria-labelledby': 'tab-people' } });
  const group = element('section', { id: 'new-group', hidden: true, attributes: { role: 'tabpanel', 'aria-labelledby': 'tab-group' } });
  const panels = [rooms, people, group];
  const tab = (id, label, controls) => element('button', {
    id, class: 'tab', type: 'button', attributes: { role: 'tab', 'aria-controls': controls },
  }, label);
  const tabs = [tab('tab-rooms', S.rooms, 'new-rooms'), tab('tab-people', S.people, 'new-people'), tab('tab-group', S.group, 'new-group')];
  const bar = element('div', { class: 'tabs', attributes: { role: 'tablist', 'aria-label': S.newConversation } }, ...tabs);
  const { close, note } = openDialog(S.newConversation, bar, ...panels);
  const done = (thread) => {
    close();
    chat.client.refresh();
    onOpened(thread.id);
  };
  const attempt = async (action) => {
    note(null);
    try {
      done(await action());
    } catch (error) {
      note(explain(error, 'join'));
    }
  };
  const select = (index) => {
    tabs.forEach((each, at) => {
      setAttribute(each, 'aria-selected', at === index);
      each.tabIndex = at === index ? 0 : -1;
    });
    panels.forEach((each, at) => { each.hidden = at !== index; });
    note(null);
  };
  tabs.forEach((each, index) => each.addEventListener('click', () => {
    select(index);
    panels[index].querySelector('input').focus();
  }));
  bar.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const step = event.key === 'ArrowLeft' ? tabs.length - 1 : 1;
    const next = (tabs.indexOf(event.target) + step) % tabs.length;
    select(next);
    tabs[next].focus();
  });
  roomPanel(rooms, chat, attempt, note);
  peoplePanel(people, note, (user) => S.write(visible(user.username)), (user) => attempt(() => api.direct(user.id)));
  groupPanel(group, attempt, (panel, label, action) => peoplePanel(panel, note, () => label, action, 'group-person'));
  select(0);
  rooms.querySelector('input').focus();
}

function roomPanel(panel, chat, attempt, note) {
  const field = element('input', { id: 'room-title', name: 'title', maxLength: 64, autocomplete: 'off', enterKeyHint: 'go' });
  const list = element('ul', { class: 'choices' });
  const warning = element('div', { class: 'warning', hidden: true, attributes: { role: 'alert' } });
  const create = element('button', { id: 'room-create', class: 'primary', type: 'submit', hidden: true });
  const visibility = visibilitySelect('room-visibility', site.visibility);
  const choiceOfVisibility = labelled(S.visibility, visibility);
  const history = historySelect('room-history', 'all');
  const choiceOfHistory = labelled(S.history, history);
  const fields = () => ({ visibility: visibility.value, history: history.value });
  const form = element('form', { class: 'stack' }, labelled(S.roomTitle, field), choiceOfVisibility, choiceOfHistory, warning, create);
  panel.append(form, list);
  /** The rooms to join; `null` until the server has answered. */
  let rooms = null;
  const known = () => chat.threads.filter((thread) => thread.kind === 'room');

  const show = () => {
    const title = field.value.trim();
    const exact = rooms?.find((room) => room.title === title) ?? known().find((room) => room.title === title);
    create.hidden = !title || !warning.hidden;
    for (const each of [choiceOfVisibility, choiceOfHistory]) each.hidden = !title || Boolean(exact);
    create.textContent = exact ? (known().includes(exact) ? S.open : S.join) : S.create(title);
    const items = (rooms ?? []).map((room) => ({ key: room.id, room }));
    // For a title that is not there yet, the button to create it says enough.
    reconcile(list, items.length > 0 || !rooms || title ? items : [{ key: '' }], ({ room }) => (room
      ? choice(room.id, visible(room.title), S.join, () => attempt(() => api.join(room.title)))
      : element('li', { class: 'hint' }, S.noRooms)), () => {});
  };
  const search = debounced(async (isNewest) => {
    try {
      const found = await api.joinable(field.value.trim());
      if (!isNewest()) return;
      rooms = found;
      note(null);
      show();
    } catch (error) {
      if (!isNewest()) return;
      // What was found for another prefix would look like an answer.
      rooms = null;
      show();
      note(explain(error));
    }
  });
  field.addEventListener('input', () => {
    warning.hidden = true;
    show();
    search();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const title = field.value.trim();
    if (!title) return;
    if (warning.hidden && !(await isAsked(title))) return;
    attempt(() => api.join(title, fields()));
  });

  /** Whether to continue without confirmation: the room exists, or no title is similar. */
  async function isAsked(title) {
    note(null);
    const candidates = known();
    try {
      for (const prefix of searchPrefixes(title)) candidates.push(...await api.joinable(prefix, 200));
    } catch (error) {
      note(explain(error));
      return false;
    }
    if (candidates.some((room) => room.title === title)) return true;
    const alike = [...new Map(lookAlikes(title, candidates).map((room) => [room.title, room])).values()].slice(0, 5);
    if (alike.length === 0) return true;
    warning.replaceChildren(
      ...alike.map((room) => element('div', {}, element('p', {}, S.lookAlike(visible(room.title))),
        button(S.open, () => attempt(() => api.join(room.title)), 'look-alike'))),
      button(S.createAnyway(title), () => attempt(() => api.join(title, fields())), 'create-anyway'));
    warning.hidden = false;
    create.hidden = true;
    warning.querySelector('button').focus();
    return false;
  }

  show();
  search();
}

/** Finds users. @param labelFor the label of the action for a user @param action what is done with one */
function peoplePanel(panel, note, labelFor, action, id = 'person-name') {
  const field = element('input', { id, autocomplete: 'off', autocapitalize: 'none', spellcheck: false });
  const list = element('ul', { class: 'choices' });
  panel.append(labelled(S.findPerson, field), list);
  const search = debounced(async (isNewest) => {
    try {
      const prefix = field.value.trim();
      const users = prefix ? await api.users(prefix) : [];
      if (!isNewest()) return;
      const items = users.map((user) => ({ key: user.id, user }));
      const create = ({ user }) => (user
        ? choice(user.id, nameOf(user), labelFor(user), () => action(user), avatarPath(user.avatar_url))
        : element('li', { class: 'hint' }, S.nobody));
      reconcile(list, items.length > 0 || !prefix ? items : [{ key: '' }], create, () => {});
    } catch (error) {
      note(explain(error));
    }
  });
  field.addEventListener('input', () => search());
}

const nameOf = ({ username, display_name: name }) => visible(name ? `${name} (${username})` : username);

const button = (label, action, id) => {
  const result = element('button', { type: 'button', class: 'secondary', ...(id && { class: `secondary ${id}` }) }, label);
  result.addEventListener('click', action);
  return result;
};

/** A row that is a button. */
function choice(id, name, label, action, picture = null) {
  const result = element('button', { class: 'choice', type: 'button' },
    avatar(id, name, picture),
    element('span', { class: 'choice-name' }, name), element('span', { class: 'choice-action' }, label));
  result.addEventListener('click', action);
  return element('li', {}, result);
}
