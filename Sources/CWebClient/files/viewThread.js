// The open thread: its title, messages, receipts, and who is typing.
import { byID, setNote, setText, showAvatar } from './dom.js';
import { clock, shortTime } from './format.js';
import { otherUser } from './roster.js';
import { S } from './strings.js';
import { Composer } from './viewComposer.js';
import { announce, MessageList } from './viewList.js';
import { MessageTools } from './viewTools.js';
import { visible } from './visible.js';

/** Names listed in a tooltip. */
const MOST_NAMES = 20;
/** How often the progress of uploads is announced, in milliseconds. */
const ANNOUNCED = 5_000;

export class ThreadView {
  #chat;
  #list;
  #composer;
  #shownID = null;
  #wantsFocus = false;
  #announcedAt = 0;

  constructor(chat, signal) {
    this.#chat = chat;
    this.#list = new MessageList(chat, () => this.#moved(), signal);
    this.#composer = new Composer(chat, () => this.#list.toEnd(), signal);
    new MessageTools(chat, this.#list, {
      onReply: (message) => this.#composer.reply(message), onEdit: (message) => this.#composer.edit(message),
    }, signal);
    byID('jump').addEventListener('click', () => {
      chat.conversations.toNewest();
      this.#list.toEnd();
      this.#moved();
      byID('text').focus({ preventScroll: true });
    }, { signal });
    byID('older-retry').addEventListener('click', () => chat.conversations.loadOlder(), { signal });
  }

  render() {
    const chat = this.#chat;
    if (chat.openID !== this.#shownID) {
      this.#shownID = chat.openID;
      this.#list.reset();
      this.#composer.opened();
    }
    const isOpen = chat.openID !== null;
    byID('thread-none').hidden = isOpen;
    for (const id of ['thread-bar', 'scroller']) byID(id).hidden = !isOpen;
    byID('composer').hidden = !isOpen || Boolean(chat.conversations.threadError);
    byID('open-members').hidden = chat.openThread?.kind !== 'room';
    if (!isOpen) {
      byID('jump').hidden = true;
      setText(byID('typing'), '');
      return;
    }
    this.#renderBar();
    this.#list.render();
    this.#renderReceipt();
    this.#announceProgress();
    const names = chat.typing.names(chat.openID).map(visible);
    setText(byID('typing'), names.length > 0 ? S.typing(names) : '');
    this.#composer.render();
    // The field could not be used before the thread was loaded.
    if (this.#wantsFocus && document.activeElement === byID('thread-title')) this.#wantsFocus = !this.#composer.focus();
    this.#moved();
  }

  /** The element to focus when a thread is opened; on a phone focusing the composer would open the keyboard. */
  focus() {
    this.#wantsFocus = !this.#composer.focus();
    if (this.#wantsFocus) byID('thread-title').focus({ preventScroll: true });
  }

  #renderBar() {
    const { openThread: thread, openID } = this.#chat;
    const title = thread?.title ?? '';
    setText(byID('thread-title'), visible(title) || S.thread);
    const other = thread?.kind === 'direct' ? otherUser(openID, this.#chat.me.id) : null;
    showAvatar(byID('thread-avatar'), openID, title, other && this.#chat.avatars.get(other));
    setText(byID('thread-status'), thread?.kind === 'direct' ? this.#presence(openID) : '');
  }

  #presence(id) {
    const presence = this.#chat.presence.get(otherUser(id, this.#chat.me.id));
    if (!presence) return '';
    if (presence.online) return S.online;
    return presence.last_seen ? S.lastSeen(shortTime(presence.last_seen * 1000, Date.now())) : S.offlineUser;
  }

  /** Below the last message, if it is the user's own: who has read it, and when. */
  #renderReceipt() {
    const chat = this.#chat;
    const last = this.#list.rows.at(-1);
    const node = byID('receipt');
    if (!last?.isOwn || !last.message || last.message.deleted || !chat.isAtHead) {
      setNote(node, null);
      return;
    }
    const readers = Object.entries(chat.openThread?.readers ?? {}).filter(([, { seq }]) => seq >= last.message.seq);
    const first = readers[0]?.[1];
    const time = first?.date ? clock(first.date * 1000) : null;
    let text = S.sent;
    if (readers.length === 1) text = time ? S.readAt(time) : S.read;
    else if (readers.length > 1) text = S.readBy(readers.length);
    setNote(node, text);
    const names = readers.slice(0, MOST_NAMES)
      .map(([id, { date }]) => `${visible(chat.nameOf(id) ?? S.somebody)}${date ? ` ${clock(date * 1000)}` : ''}`);
    node.title = names.length > 0 ? S.readers(names.join(', ')) : '';
  }

  /** For screen readers, which do not follow a bar by themselves. */
  #announceProgress() {
    const all = [...this.#chat.outgoing.progress.values()];
    const now = performance.now();
    if (all.length === 0 || now - this.#announcedAt < ANNOUNCED) return;
    this.#announcedAt = now;
    const [sent, total] = ['sent', 'total'].map((name) => all.reduce((sum, each) => sum + each[name], 0));
    announce(S.uploadAnnounced(Math.floor((100 * sent) / total)));
  }

  #moved() {
    const chat = this.#chat;
    if (this.#list.isPinned && !this.#list.isSeeking) chat.markSeen();
    const unread = chat.openThread?.unread ?? 0;
    byID('jump').hidden = (this.#list.isPinned && chat.isAtHead) || !chat.timeline.isLoaded;
    byID('jump').classList.toggle('unread', unread > 0);
    setText(byID('jump-text'), unread > 0 ? S.countNew(unread) : S.toNewest);
    byID('jump-text').classList.toggle('hidden', unread === 0);
  }
}
