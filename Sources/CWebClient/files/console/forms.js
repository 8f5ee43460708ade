// Forms to find users and threads and to create new ones.
import * as api from './api.js';
import { byID, element, setNote } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

export const userAddress = (id) => `#/user/${encodeURIComponent(id)}`;
export const threadAddress = (id) => `#/thread/${encodeURIComponent(id)}`;

/** Sets up the forms of the page. A found or created subject is opened by its URL. */
export function startForms() {
  onSubmit('search-form', 'search-submit', 'search-note', find);
  onSubmit('make-user', 'make-user-submit', 'make-user-error', async () => {
    const made = await api.makeUser(fields({ username: 'make-username', password: 'make-password', id: 'make-user-id' }));
    finish('make-user', userAddress(made.id));
  });
  onSubmit('make-thread', 'make-thread-submit', 'make-thread-error', async () => {
    const made = await api.makeThread(fields({ title: 'make-title', id: 'make-thread-id' }));
    finish('make-thread', threadAddress(made.id));
  });
}

/** Resets the search box. */
export function clearForms() {
  byID('found').replaceChildren();
  setNote(byID('search-note'), null);
  for (const id of ['search-form', 'make-user', 'make-thread']) byID(id).reset();
}

async function find() {
  const text = byID('search').value.trim();
  if (!text) return;
  const { users, threads } = await api.search(text);
  const all = [
    ...users.map((user) => ({ address: userAddress(user.id), kind: 'user', name: user.username, isIt: user.username === text || user.id === text })),
    ...threads.map((thread) => ({
      address: threadAddress(thread.id), kind: thread.kind === 'direct' ? 'direct' : 'room',
      name: thread.kind === 'direct' ? thread.id : thread.title, isIt: thread.title === text || thread.id === text,
    })),
  ];
  byID('found').replaceChildren(...all.map(({ address, kind, name }) =>
    element('li', {}, element('a', { href: address }, element('span', { class: 'pill' }, kind), element('span', { class: 'name' }, visible(name))))));
  setNote(byID('search-note'), all.length ? null : 'Nobody and nothing of that name. Names are looked for by how they begin.');
  const exact = all.filter((one) => one.isIt);
  if (exact.length === 1) location.hash = exact[0].address;
}

/** The values of these fields, without empty ones. */
function fields(ids) {
  const values = Object.entries(ids).map(([name, id]) => [name, name === 'password' ? byID(id).value : byID(id).value.trim()]);
  return Object.fromEntries(values.filter(([, value]) => value));
}

function finish(form, address) {
  byID(form).reset();
  byID(form).closest('details').open = false;
  location.hash = address;
}

function onSubmit(form, button, note, action) {
  byID(form).addEventListener('submit', async (event) => {
    event.preventDefault();
    byID(button).disabled = true;
    setNote(byID(note), null);
    try {
      await action();
    } catch (error) {
      setNote(byID(note), error.message);
    } finally {
      byID(button).disabled = false;
    }
  });
}
