// The list of threads.
import { partLabel } from './attachments.js';
import { byID, element, reconcile, setAttribute, setNote, setText, showAvatar } from './dom.js';
import { drafts } from './drafts.js';
import { shortTime } from './format.js';
import { plain } from './markdown.js';
import { otherUser } from './roster.js';
import { S } from './strings.js';
import { visible } from './visible.js';

/** Threads at the top whose pictures are looked up; all of them are in the page at once. */
const MOST_LOOKED_UP = 50;

export class InboxView {
  #chat;

  constructor(chat) {
    this.#chat = chat;
    setText(byID('me'), visible(chat.me.username));
  }

  render() {
    const chat = this.#chat;
    const { threads } = chat;
    const now = Date.now();
    const begun = drafts(chat.me.id);
    const items = threads.map((thread, index) => ({ key: thread.id, thread, index, now, draft: thread.id === chat.openID ? '' : begun[thread.id] }));
    reconcile(byID('threads'), items, () => create(), (node, item) => this.#update(node, item));
    setNote(byID('inbox-empty'), threads.length === 0 && chat.isReady ? S.inboxEmpty : null);
  }

  #update(node, { thread, index, now, draft }) {
    const part = (name) => node.querySelector(`.${name}`);
    const { last, unread } = thread;
    const link = part('thread');
    setAttribute(link, 'href', `#/t/${thread.id}`);
    setAttribute(link, 'aria-current', thread.id === this.#chat.openID ? 'page' : null);
    const other = thread.kind === 'direct' ? otherUser(thread.id, this.#chat.me.id) : null;
    const { avatars } = this.#chat;
    showAvatar(part('avatar'), thread.id, thread.title, other && (index < MOST_LOOKED_UP ? avatars.get(other) : avatars.known(other)));
    const isOnline = Boolean(other && this.#chat.presence.get(other)?.online);
    part('dot').hidden = !isOnline;
    setText(part('thread-name'), visible(thread.title));
    setText(part('thread-time'), last ? shortTime(last.at, now) : '');
    setText(part('thread-preview'), draft ? S.draft(draft.slice(0, 100)) : this.#preview(last));
    part('thread-preview').classList.toggle('draft', Boolean(draft));
    link.classList.toggle('unread', unread > 0);
    const badge = part('badge');
    badge.hidden = !unread;
    setText(badge, unread > 99 ? '99+' : `${unread ?? 0}`);
    // Read aloud with the name of the thread, since a bare number is not meaningful.
    setAttribute(badge, 'aria-label', S.unread(unread ?? 0));
  }

  #preview(last) {
    if (!last) return S.noMessages;
    const sender = last.sender_id === this.#chat.me.id ? S.you : visible(last.sender_name ?? S.somebody);
    return S.preview(sender, last.deleted ? S.deleted : (plain(last.text) || (last.part ? partLabel(last.part) : S.attachment)));
  }
}

function create() {
  return element('li', {},
    element('a', { class: 'thread' },
      element('span', { class: 'avatar', attributes: { 'aria-hidden': 'true' } }),
      element('span', { class: 'dot', hidden: true, attributes: { role: 'img', 'aria-label': S.online } }),
      element('span', { class: 'thread-name' }),
      element('time', { class: 'thread-time' }),
      element('span', { class: 'thread-preview' }),
      element('span', { class: 'badge', hidden: true, attributes: { role: 'img' } })));
}
