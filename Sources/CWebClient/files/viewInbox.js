// The list of threads, and the form to join one.
import { byID, element, reconcile, setNote, setText } from './dom.js';
import { hue, initials, shortTime, timeOf } from './format.js';

export class InboxView {
  #chat;

  /** @param onJoined called with the id of a joined thread */
  constructor(chat, onJoined, signal) {
    this.#chat = chat;
    setText(byID('me'), chat.me.username);
    byID('join-form').addEventListener('submit', async (event) => {
      event.preventDefault();
      const button = byID('join-submit');
      if (button.disabled) return;
      button.disabled = true;
      setNote(byID('join-error'), null);
      try {
        const id = await chat.join(byID('join-title').value);
        byID('join-title').value = '';
        onJoined(id);
      } catch (error) {
        setNote(byID('join-error'), error.message);
      } finally {
        button.disabled = false;
      }
    }, { signal });
  }

  render() {
    const { threads, isInboxLoaded, inboxError } = this.#chat;
    const now = Date.now();
    const items = threads.map((thread) => ({ key: thread.id, thread, now }));
    reconcile(byID('threads'), items, () => this.#create(), (node, item) => this.#update(node, item));
    const empty = byID('inbox-empty');
    empty.hidden = threads.length > 0 || (!isInboxLoaded && !inboxError);
    setText(empty, isInboxLoaded
      ? 'No rooms yet. Type a title above: you join the room of that name, or create it.'
      : (inboxError ?? ''));
  }

  #create() {
    return element('li', {},
      element('a', { class: 'thread' },
        element('span', { class: 'avatar', ariaHidden: 'true' }),
        element('span', { class: 'thread-name' }),
        element('time', { class: 'thread-time' }),
        element('span', { class: 'thread-preview' }),
        element('span', { class: 'badge', hidden: true })));
  }

  #update(node, { thread, now }) {
    const part = (name) => node.querySelector(`.${name}`);
    const { last_message: last, unread_count: unread } = thread;
    const link = part('thread');
    link.setAttribute('href', `#/t/${thread.id}`);
    if (thread.id === this.#chat.openID) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    setText(part('avatar'), initials(thread.title));
    part('avatar').dataset.hue = hue(thread.id);
    setText(part('thread-name'), thread.title);
    setText(part('thread-time'), last ? shortTime(timeOf(last), now) : '');
    const sender = last?.sender_id === this.#chat.me.id ? 'You' : last?.sender_name;
    setText(part('thread-preview'), last ? `${sender}: ${last.text.slice(0, 200)}` : 'No messages yet');
    link.classList.toggle('unread', unread > 0);
    const badge = part('badge');
    badge.hidden = unread === 0;
    setText(badge, unread > 99 ? '99+' : `${unread}`);
    // Read aloud with the name of the thread, since a bare number is not meaningful.
    badge.setAttribute('aria-label', `${unread} unread`);
    badge.setAttribute('role', 'img');
  }
}
