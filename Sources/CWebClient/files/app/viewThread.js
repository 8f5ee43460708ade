// The open thread: its title, messages, receipts, and typing users.
import { ask, later } from './dialog.js';
import { byID, setAttribute, setNote, setText, showAvatar } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { visible } from '../shared/visible.js';
import { clock, shortTime } from '../shared/format.js';
import { roomPicture } from './profiles.js';
import { S } from '../shared/strings.js';
import { Composer } from './viewComposer.js';
import { announce, MessageList } from './viewList.js';
import { MuteNotice } from './viewMute.js';
import { MessageTools } from './viewTools.js';

/** Names listed in a tooltip. */
const MAX_NAMES = 20;
/** The interval of announcements of upload progress, in milliseconds. */
const ANNOUNCED = 5_000;

export class ThreadView {
  #chat;
  #list;
  #composer;
  #tools;
  #mute;
  #shownID = null;
  #wantsFocus = false;
  #announcedAt = 0;

  constructor(chat, signal) {
    this.#chat = chat;
    this.#list = new MessageList(chat, () => this.#moved(), signal);
    this.#composer = new Composer(chat, () => this.#list.toEnd(), signal);
    this.#mute = new MuteNotice(chat);
    this.#tools = new MessageTools(chat, this.#list, {
      onReply: (message) => this.#composer.reply(message), onEdit: (message) => this.#composer.edit(message),
    }, signal);
    byID('jump').addEventListener('click', () => {
      chat.conversations.toNewest();
      this.#list.toEnd();
      this.#moved();
      byID('text').focus({ preventScroll: true });
    }, { signal });
    byID('block-user').addEventListener('click', () => this.#toggleBlock(), { signal });
    // A room has them in the dialog of its members.
    byID('notifications').addEventListener('click', () => later(async () => {
      const { openThread } = chat;
      const part = await import('./viewNotifications.js');
      part.openThreadNotifications(chat, openThread, chat.titleOf(openThread));
    }, (text) => text && announce(text)), { signal });
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
    const isMuted = this.#mute.render();
    byID('composer').hidden = !isOpen || isMuted || Boolean(chat.conversations.threadError);
    const isDirect = chat.openThread?.kind === 'direct';
    byID('open-members').hidden = !chat.openThread || isDirect;
    byID('notifications').hidden = !isDirect;
    if (!isOpen) {
      byID('jump').hidden = true;
      setText(byID('typing'), '');
      return;
    }
    this.#renderBar();
    this.#list.render();
    this.#tools.render();
    this.#renderReceipt();
    this.#list.stay();
    this.#announceProgress();
    const names = chat.typing(chat.openID);
    setText(byID('typing'), names.length > 0 ? S.typing(names) : '');
    this.#composer.render();
    this.#mute.returnFocus(this.#composer);
    // The field was disabled before the thread was loaded.
    if (this.#wantsFocus && document.activeElement === byID('thread-title')) this.#wantsFocus = !this.#composer.focus();
    this.#moved();
  }

  /** The element to focus when a thread is opened. On a phone, focusing the composer would open the keyboard. */
  focus() {
    this.#wantsFocus = !this.#composer.focus();
    if (this.#wantsFocus) byID('thread-title').focus({ preventScroll: true });
  }

  #renderBar() {
    const { openThread: thread, openID } = this.#chat;
    const title = this.#chat.titleOf(thread);
    setText(byID('thread-title'), title || S.thread);
    const other = this.#chat.otherIn(thread);
    showAvatar(byID('thread-avatar'), other ?? openID, title, other ? this.#chat.profiles.get(other) : roomPicture(thread?.room));
    setText(byID('thread-status'), thread?.kind === 'direct' ? this.#presence(other) : visible(thread?.room?.topic ?? ''));
    const button = byID('block-user');
    button.hidden = !other || other === this.#chat.me.id;
    const label = this.#chat.client.blocks.has(other) ? S.unblock : S.block;
    if (button.hidden || button.title === label) return;
    button.title = label;
    setAttribute(button, 'aria-label', label);
  }

  /** Blocks the other user of a direct thread, or ends the block. */
  async #toggleBlock() {
    const { client, openThread } = this.#chat;
    const other = this.#chat.otherIn(openThread);
    const isBlocked = client.blocks.has(other);
    if (!isBlocked && !(await ask(S.blockQuestion(visible(this.#chat.nameFor(other))), S.block))) return;
    try {
      // The frame `blocks` changes the page.
      await (isBlocked ? client.unblock(other) : client.block(other));
    } catch (error) {
      announce(explain(error));
    }
  }

  #presence(user) {
    const presence = this.#chat.client.presence(user);
    if (!presence) return '';
    if (presence.online) return S.online;
    return presence.last_seen ? S.lastSeen(shortTime(presence.last_seen * 1000, Date.now())) : S.offlineUser;
  }

  /** Shows who has read the last message, and when, if the user sent it. */
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
    const names = readers.slice(0, MAX_NAMES)
      .map(([id, { date }]) => `${chat.nameFor(id)}${date ? ` ${clock(date * 1000)}` : ''}`);
    node.title = names.length > 0 ? S.readers(names.join(', ')) : '';
  }

  /** Announces progress to screen readers, which do not follow a progress bar automatically. */
  #announceProgress() {
    const all = this.#chat.outbox.map(({ id }) => this.#chat.client.progress(id)).filter(Boolean);
    const now = performance.now();
    if (all.length === 0 || now - this.#announcedAt < ANNOUNCED) return;
    this.#announcedAt = now;
    const [sent, total] = ['sent', 'total'].map((name) => all.reduce((sum, each) => sum + each[name], 0));
    announce(S.uploadAnnounced(Math.floor((100 * sent) / total)));
  }

  #moved() {
    const chat = this.#chat;
    if (!this.#list.isSeeking) chat.markSeen(this.#list.isPinned ? Infinity : this.#list.lastVisible);
    const unread = chat.openThread?.unread ?? 0;
    byID('jump').hidden = (this.#list.isPinned && chat.isAtHead) || !chat.timeline.isLoaded;
    byID('jump').classList.toggle('unread', unread > 0);
    setText(byID('jump-text'), unread > 0 ? S.countNew(unread) : S.toNewest);
    byID('jump-text').classList.toggle('hidden', unread === 0);
  }
}
