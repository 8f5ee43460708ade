// The open thread: messages, scrolling, and the composer.
import { byID, element, reconcile, setText } from './dom.js';
import { clock, hue, initials, rows, scalarCount, sendable, TEXT_LIMIT, withLinks } from './format.js';

/** The distance from an end, in pixels, that counts as being there. */
const NEAR_BOTTOM = 60;
const NEAR_TOP = 400;

/** The counter is shown when this many characters are left. */
const COUNTER_FROM = 300;

export class ThreadView {
  #chat;
  #shownID = null;
  /** Whether the view follows the newest message. */
  #isPinned = true;
  /** Whether the composer takes the focus as soon as it is enabled. */
  #wantsFocus = false;
  #drafts = new Map();

  constructor(chat, signal) {
    this.#chat = chat;
    const on = (id, type, action) => byID(id).addEventListener(type, action, { signal });
    on('scroller', 'scroll', () => this.#scrolled());
    on('jump', 'click', () => this.#toBottom());
    on('older-retry', 'click', () => chat.loadOlder());
    on('composer', 'submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    on('text', 'input', () => this.#typed());
    on('text', 'keydown', (event) => {
      // Enter also confirms the choice of a character in an input method; that must not send.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.#send();
    });
    on('messages', 'click', (event) => {
      const button = event.target.closest('button[data-action]');
      if (button) chat[button.dataset.action](button.closest('li').dataset.key);
    });
    // The keyboard of a phone, or a longer draft, takes space from the messages.
    const resized = new ResizeObserver(() => this.#isPinned && this.#toBottom());
    resized.observe(byID('scroller'));
    signal.addEventListener('abort', () => resized.disconnect());
  }

  render() {
    const chat = this.#chat;
    if (chat.openID !== this.#shownID) this.#switch();
    const isOpen = chat.openID !== null;
    const { isLoaded } = chat.openTimeline;
    byID('thread-none').hidden = isOpen;
    for (const id of ['thread-bar', 'scroller']) byID(id).hidden = !isOpen;
    byID('composer').hidden = !isOpen || Boolean(chat.threadError);
    if (!isOpen) {
      byID('jump').hidden = true;
      return;
    }
    const title = chat.openThread?.title ?? '';
    setText(byID('thread-title'), title || 'Thread');
    setText(byID('thread-avatar'), initials(title));
    byID('thread-avatar').dataset.hue = hue(chat.openID);
    byID('text').disabled = !isLoaded;
    byID('text').placeholder = title ? `Message ${title}` : 'Message';
    this.#renderMessages();
    this.#renderComposer();
    if (this.#wantsFocus && isLoaded) {
      this.#wantsFocus = false;
      this.#focusComposer();
    }
    if (this.#isPinned) chat.markSeen();
    this.#renderJump();
  }

  /** The element to focus when a thread is opened; on a phone focusing the composer would open the keyboard. */
  focus() {
    if (!this.#focusComposer()) byID('thread-title').focus({ preventScroll: true });
  }

  #focusComposer() {
    if (byID('text').disabled || !matchMedia('(pointer: fine)').matches) return false;
    byID('text').focus({ preventScroll: true });
    return true;
  }

  #switch() {
    const text = byID('text');
    if (this.#shownID) this.#drafts.set(this.#shownID, text.value);
    this.#shownID = this.#chat.openID;
    text.value = this.#drafts.get(this.#shownID) ?? '';
    this.#drafts.delete(this.#shownID);
    this.#isPinned = true;
    this.#wantsFocus = true;
    byID('messages').replaceChildren();
    this.#grow();
  }

  // MARK: Messages

  #renderMessages() {
    const { openTimeline, pending, me, firstUnread, threadError, isLoadingOlder, olderError } = this.#chat;
    const { messages, isLoaded, atStart } = openTimeline;
    const list = byID('messages');
    const anchor = this.#isPinned ? null : this.#anchor();
    const items = threadError || !isLoaded ? [] : rows(messages, pending, { me: me.id, firstUnread, now: Date.now() });
    reconcile(list, items, create, update);
    let edge = '';
    if (threadError) edge = threadError;
    else if (!isLoaded || isLoadingOlder) edge = 'Loading…';
    else if (olderError) edge = olderError;
    else if (atStart) edge = messages.length ? 'This is the beginning.' : 'No messages yet. Say something.';
    setText(byID('older'), edge);
    byID('older-retry').hidden = !olderError;
    if (this.#isPinned) this.#toBottom();
    else if (anchor) byID('scroller').scrollTop += topOf(anchor.node) - anchor.top;
    this.#loadOlderIfNear();
  }

  /** The first visible row, which must not move while others are inserted above. */
  #anchor() {
    const edge = topOf(byID('scroller'));
    const isInSight = (node) => node.dataset.kind === 'message' && node.getBoundingClientRect().bottom > edge;
    const node = [...byID('messages').children].find(isInSight);
    return node ? { node, top: topOf(node) } : null;
  }

  #toBottom() {
    const scroller = byID('scroller');
    this.#isPinned = true;
    scroller.scrollTop = scroller.scrollHeight;
    this.#renderJump();
  }

  #scrolled() {
    const scroller = byID('scroller');
    this.#isPinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_BOTTOM;
    if (this.#isPinned) this.#chat.markSeen();
    this.#renderJump();
    this.#loadOlderIfNear();
  }

  #loadOlderIfNear() {
    if (byID('scroller').scrollTop < NEAR_TOP && !this.#chat.olderError) this.#chat.loadOlder();
  }

  #renderJump() {
    const unread = this.#chat.openThread?.unread_count ?? 0;
    byID('jump').hidden = this.#isPinned;
    byID('jump').classList.toggle('unread', unread > 0);
    setText(byID('jump-text'), unread > 0 ? `${unread} new` : 'To the newest message');
    byID('jump-text').classList.toggle('hidden', unread === 0);
  }

  // MARK: Composer

  #typed() {
    this.#grow();
    this.#renderComposer();
  }

  /** Resizes the field to its text, up to the limit in the style sheet. */
  #grow() {
    const text = byID('text');
    text.style.height = 'auto';
    text.style.height = `${text.scrollHeight}px`;
  }

  #renderComposer() {
    const text = sendable(byID('text').value);
    const left = text.length > TEXT_LIMIT - COUNTER_FROM ? TEXT_LIMIT - scalarCount(text) : TEXT_LIMIT;
    byID('send').disabled = !text || left < 0 || byID('text').disabled;
    byID('composer').classList.toggle('too-long', left < 0);
    let hint = '';
    if (left < 0) hint = `${-left} characters too many; a message has at most ${TEXT_LIMIT}.`;
    else if (left < COUNTER_FROM) hint = `${left} characters left`;
    setText(byID('composer-hint'), hint);
  }

  #send() {
    const field = byID('text');
    const text = sendable(field.value);
    if (!text || byID('send').disabled) return;
    if (!this.#chat.send(text)) {
      setText(byID('composer-hint'), 'Too many messages are waiting to be sent.');
      return;
    }
    field.value = '';
    this.#isPinned = true;
    this.#typed();
    field.focus({ preventScroll: true });
  }
}

// MARK: Rows

/** The position of an element, including fractions of a pixel. */
const topOf = (node) => node.getBoundingClientRect().top;

function create(row) {
  const data = { kind: row.kind };
  if (row.kind === 'day') return element('li', { class: 'day', data }, element('span', {}, row.label));
  if (row.kind === 'new') return element('li', { class: 'new', data }, element('span', {}, 'New'));
  const [sender, text] = row.kind === 'pending'
    ? [null, row.entry.text] : [row.message, row.message.text];
  const bubble = element('div', { class: 'bubble' });
  if (sender && !row.isOwn) {
    bubble.append(element('span', { class: 'sender', data: { hue: hue(sender.sender_id ?? '') } }, sender.sender_name));
  } else {
    bubble.append(element('span', { class: 'hidden' }, 'You:'));
  }
  bubble.append(body(text), element('span', { class: 'meta' }));
  const node = element('li', { class: row.isOwn ? 'message own' : 'message', data });
  if (!row.isOwn) {
    const avatar = element('span', { class: 'avatar small', ariaHidden: 'true' }, initials(sender.sender_name ?? ''));
    avatar.dataset.hue = hue(sender.sender_id ?? '');
    node.append(avatar);
  }
  node.append(bubble);
  return node;
}

function update(node, row) {
  if (row.kind === 'day') setText(node.firstElementChild, row.label);
  if (row.kind !== 'message' && row.kind !== 'pending') return;
  node.classList.toggle('first', row.isFirst);
  const meta = node.querySelector('.meta');
  if (row.kind === 'message') {
    if (!meta.firstChild) {
      const date = new Date(row.ms);
      meta.append(element('time', { dateTime: date.toISOString(), title: date.toLocaleString() }, clock(row.ms)));
    }
    return;
  }
  const { status } = row.entry;
  if (node.dataset.status === status) return;
  node.dataset.status = status;
  if (status === 'failed') {
    meta.replaceChildren('Not delivered · ',
      element('button', { class: 'link', type: 'button', data: { action: 'retry' } }, 'Try again'), ' · ',
      element('button', { class: 'link', type: 'button', data: { action: 'discard' } }, 'Discard'));
  } else {
    meta.replaceChildren(status === 'sent' ? 'Sending…' : 'Waiting…');
  }
}

function body(text) {
  const result = element('p', { class: 'text', dir: 'auto' });
  for (const piece of withLinks(text)) {
    const { href } = piece;
    result.append(href ? element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, piece.text) : piece.text);
  }
  return result;
}
