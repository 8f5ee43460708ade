// The list of threads.
import { partLabel } from './attachments.js';
import { byID, element, reconcile, setAttribute, setNote, setText, showAvatar } from '../shared/dom.js';
import { drafts } from './drafts.js';
import { shortTime } from '../shared/format.js';
import { plain } from './markdown.js';
import { roomPicture } from './profiles.js';
import { S } from '../shared/strings.js';

/** The maximum number of threads at the top whose pictures are looked up. All threads are in the page. */
const MAX_LOOKED_UP = 50;

export class InboxView {
  #chat;

  constructor(chat) {
    this.#chat = chat;
  }

  render() {
    const chat = this.#chat;
    setText(byID('me'), chat.nameFor(chat.me.id, chat.me.username));
    // An archived room is reached by its address and by the search.
    const threads = chat.threads.filter(({ id, room }) => !room?.isArchived || id === chat.openID);
    const now = Date.now();
    const begun = drafts(chat.me.id);
    const items = threads.map((thread, index) => ({ key: thread.id, thread, index, now, draft: thread.id === chat.openID ? '' : begun[thread.id] }));
    reconcile(byID('threads'), items, () => create(), (node, item) => this.#update(node, item));
    setNote(byID('inbox-empty'), threads.length === 0 && chat.client.isLoaded ? S.inboxEmpty : null);
  }

  #update(node, { thread, index, now, draft }) {
    const part = (name) => node.querySelector(`.${name}`);
    const { last, unread } = thread;
    const link = part('thread');
    setAttribute(link, 'href', `#/t/${thread.id}`);
    setAttribute(link, 'aria-current', thread.id === this.#chat.openID ? 'page' : null);
    const other = this.#chat.otherIn(thread);
    const { profiles } = this.#chat;
    const title = this.#chat.titleOf(thread);
    // A user has one color, wherever they are shown.
    showAvatar(part('avatar'), other ?? thread.id, title, other ? (index < MAX_LOOKED_UP ? profiles.get(other) : profiles.known(other)) : roomPicture(thread.room));
    const isOnline = Boolean(other && this.#chat.client.presence(other)?.online);
    part('dot').hidden = !isOnline;
    setText(part('thread-label'), title);
    const sign = part('sign');
    const isClosed = thread.kind !== 'direct' && (thread.visibility === 'private' || thread.visibility === 'unlisted');
    sign.hidden = !isClosed;
    setText(sign, isClosed ? (thread.kind === 'group' ? '👥 ' : SIGNS[thread.visibility]) : '');
    setAttribute(sign, 'aria-label', isClosed ? (thread.kind === 'group' ? S.aGroup : S.visibilities[thread.visibility]) : '');
    setText(part('thread-time'), last ? shortTime(last.at, now) : '');
    const typing = this.#chat.typing(thread.id);
    let preview = draft ? S.draft(draft.slice(0, 100)) : this.#preview(last);
    if (typing.length > 0) preview = S.typing(typing);
    setText(part('thread-preview'), preview);
    part('thread-preview').classList.toggle('draft', Boolean(draft) && typing.length === 0);
    part('thread-preview').classList.toggle('is-typing', typing.length > 0);
    link.classList.toggle('unread', unread > 0);
    const badge = part('badge');
    badge.hidden = !unread;
    setText(badge, unread > 99 ? '99+' : `${unread ?? 0}`);
    // The label is read together with the name of the thread, because a bare number is not meaningful.
    setAttribute(badge, 'aria-label', S.unread(unread ?? 0));
  }

  #preview(last) {
    if (!last) return S.noMessages;
    const sender = last.sender_id === this.#chat.me.id ? S.you : this.#chat.nameFor(last.sender_id, last.sender_name, last.sender_display_name);
    return S.preview(sender, last.deleted ? S.deleted : (plain(last.text) || (last.part ? partLabel(last.part) : S.attachment)));
  }
}

/** Signs before the titles of rooms that are not public. */
const SIGNS = { private: '🔒 ', unlisted: '🔗 ' };

function create() {
  return element('li', {},
    element('a', { class: 'thread' },
      element('span', { class: 'avatar', attributes: { 'aria-hidden': 'true' } }),
      element('span', { class: 'dot', hidden: true, attributes: { role: 'img', 'aria-label': S.online } }),
      element('span', { class: 'thread-name' },
        element('span', { class: 'sign', hidden: true, attributes: { role: 'img' } }),
        element('span', { class: 'thread-label' })),
      element('time', { class: 'thread-time' }),
      element('span', { class: 'thread-preview' }),
      element('span', { class: 'badge', hidden: true, attributes: { role: 'img' } })));
}
