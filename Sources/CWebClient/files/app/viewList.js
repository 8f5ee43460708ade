// The list of messages. Only the visible rows exist as elements.
import { explain } from '../shared/errors.js';
import { byID, element, reconcile, setAttribute, setText } from '../shared/dom.js';
import { likelyHeight, rowsOf, withPending } from './rows.js';
import { S } from '../shared/strings.js';
import { isAtStart } from '../client/timeline.js';
import { createRow, updateRow } from './viewRow.js';
import { Heights } from './windowing.js';

/**
 * The number of pixels above and below the visible part that are rendered too, so that scrolling reveals existing rows.
 */
const MARGIN = 600;
/** The distance from an end, in pixels, that counts as the end. */
const NEAR_END = 60;
/** The distance from the top, in pixels, at which older messages are loaded. */
const NEAR_TOP = 1_200;

export class MessageList {
  #chat;
  #scroller = byID('scroller');
  #list = byID('messages');
  #heights;
  #rows = [];
  #inputs = [];
  #logInputs = [null];
  #logRows = [];
  #anchor = null;
  #frame = null;
  #width = 0;
  #onMoved;
  /** The last position that was set. The browser's own scrolling differs from it. */
  #shown = [0, 0];
  /** Whether the thread was just opened, and its first unread message is being searched for. */
  isSeeking = false;
  /** Whether the view follows the newest message. */
  isPinned = true;

  /** @param onMoved called when the visible part has changed */
  constructor(chat, onMoved, signal) {
    this.#chat = chat;
    this.#onMoved = onMoved;
    this.#heights = new Heights((row) => likelyHeight(row, this.#width));
    this.#scroller.addEventListener('scroll', () => this.#scrolled(), { signal, passive: true });
    const resized = new ResizeObserver(() => this.#resized());
    resized.observe(this.#scroller);
    signal.addEventListener('abort', () => {
      resized.disconnect();
      cancelAnimationFrame(this.#frame);
    });
  }

  /** Resets the view for another thread. */
  reset() {
    this.isPinned = true;
    this.isSeeking = true;
    this.#anchor = null;
    this.#inputs = [];
    this.#list.replaceChildren();
    this.#heights.forget();
  }

  get rows() {
    return this.#rows;
  }

  rowOf(node) {
    return this.#rows[this.indexOf(node?.closest('[data-key]')?.dataset.key)];
  }

  indexOf(key) {
    return key === undefined ? -1 : this.#rows.findIndex((row) => row.key === key);
  }

  render() {
    const chat = this.#chat;
    const { timeline, outbox, dividerSeq, openThread } = chat;
    const inputs = [timeline, outbox, dividerSeq, chat.conversations.threadError, openThread?.readers, new Date().getDate()];
    if (inputs.some((each, index) => each !== this.#inputs[index]) || inputs.length !== this.#inputs.length) {
      this.#inputs = inputs;
      const isShown = (timeline.isLoaded || chat.conversations.pending.length > 0) && !chat.conversations.threadError;
      this.#keepAnchor();
      this.#rows = isShown ? this.#rowsOf(timeline.rows) : [];
      this.#heights.reset(this.#rows);
    }
    if (this.isSeeking) this.#seekUnread();
    this.#renderEdge();
    if (chat.conversations.target !== null && this.#rows.length > 0) this.#aim();
    this.#layOut();
  }

  /** Caches the rows of the log while only the outbox changes. */
  #rowsOf(events) {
    const { conversations: { changes, pending }, me, dividerSeq } = this.#chat;
    const inputs = [events, dividerSeq, new Date().getDate()];
    const isSame = changes.size === 0 && this.#logInputs.every((each, index) => each === inputs[index]);
    if (!isSame) this.#logRows = rowsOf(events, { changes, me: me.id, dividerSeq, now: Date.now() });
    this.#logInputs = changes.size === 0 ? inputs : [null];
    return withPending(this.#logRows, pending, me.id);
  }

  #renderEdge() {
    const chat = this.#chat;
    const { timeline } = chat;
    let edge = '';
    if (chat.conversations.threadError) edge = explain(chat.conversations.threadError);
    else if (chat.conversations.loadError) edge = S.noConnection;
    else if (!timeline.isLoaded && chat.client.state !== 'open') edge = S.noConnection;
    else if (!timeline.isLoaded || chat.conversations.isLoadingOlder) edge = S.loading;
    else if (isAtStart(timeline)) edge = this.#rows.some((row) => row.message || row.entry) ? S.beginning : S.saySomething;
    setText(byID('older'), edge);
    byID('older-retry').hidden = !chat.conversations.loadError;
    // A feed contains articles.
    setAttribute(this.#list, 'role', this.#rows.some((row) => row.message || row.entry) ? 'feed' : 'group');
    this.#list.setAttribute('aria-busy', String(!timeline.isLoaded));
  }

  // MARK: Scrolling

  toEnd() {
    this.isSeeking = false;
    this.isPinned = true;
    this.#anchor = null;
    this.#layOut();
  }

  /** Stays at the end when something below the messages has changed its height. */
  stay() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    if (this.isPinned && scrollHeight - scrollTop - clientHeight >= 1) this.#scroller.scrollTop = scrollHeight;
  }

  /** Opens a thread with more than a screen of unread messages at the first of them, once it is loaded. */
  #seekUnread() {
    const { dividerSeq, timeline, openThread, conversations, client } = this.#chat;
    const isConnected = client.state === 'open';
    if (conversations.isJumping || conversations.threadError || (dividerSeq === null && isConnected)) this.isSeeking = false;
    if (!this.isSeeking || dividerSeq === null || !timeline.isLoaded || !openThread) return;
    if (timeline.from > dividerSeq + 1) {
      conversations.loadAround(dividerSeq);
      return;
    }
    // The search waits until everything is loaded, because the end of the loaded part counts as seen.
    if (timeline.to < openThread.seq && !timeline.isDetached && isConnected) return;
    const index = this.#rows.findIndex((row) => row.kind === 'new');
    const isLong = index >= 0 && this.#heights.total - this.#heights.offset(index) > this.#scroller.clientHeight;
    if (isLong) {
      this.isPinned = false;
      this.#anchor = { key: this.#rows[index].key, distance: 12 };
    }
    if (isLong || isConnected) this.isSeeking = false;
  }

  /** Scrolls the target to the middle, and highlights it for a moment. */
  #aim() {
    const { target } = this.#chat.conversations;
    const index = this.#rows.findIndex((row) => row.message?.seq >= target);
    this.#chat.conversations.target = null;
    if (index < 0) return;
    this.isPinned = false;
    this.#anchor = { key: this.#rows[index].key, distance: this.#scroller.clientHeight / 3 };
    this.#layOut();
    const node = this.#list.querySelector(`[data-key="${this.#rows[index].key}"]`);
    node?.classList.add('found');
    node?.addEventListener('animationend', () => node.classList.remove('found'), { once: true });
    node?.focus({ preventScroll: true });
  }

  /** Shows a row and focuses it. */
  focusRow(index) {
    const row = this.#rows[index];
    if (!row) return;
    const node = this.#list.querySelector(`[data-key="${row.key}"]`);
    const box = node?.getBoundingClientRect();
    const view = this.#scroller.getBoundingClientRect();
    if (!box || box.top < view.top || box.bottom > view.bottom) {
      const isAbove = !box || box.top < view.top;
      const height = box?.height ?? 60;
      this.isPinned = index === this.#rows.length - 1;
      this.#anchor = { key: row.key, distance: isAbove ? 16 : view.height - height - 16 };
      this.#layOut();
    }
    this.#list.querySelector(`[data-key="${row.key}"]`)?.focus({ preventScroll: true });
  }

  /** The position of the last message that is visible to its end; 0 if none is. */
  get lastVisible() {
    const edge = this.#scroller.getBoundingClientRect().bottom;
    const node = [...this.#list.children].findLast((each) => each.dataset.kind === 'message' && each.getBoundingClientRect().bottom <= edge + 1);
    return this.rowOf(node)?.message.seq ?? 0;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    this.isPinned = this.#chat.isAtHead && scrollHeight - scrollTop - clientHeight < NEAR_END;
    if (!this.isPinned) this.isSeeking = false;
    this.#anchor = null;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = null;
      this.#layOut({ isScrolling: true });
      this.#loadIfNear();
      this.#onMoved();
    });
  }

  #resized() {
    const width = this.#list.clientWidth;
    if (width !== this.#width) {
      this.#keepAnchor();
      this.#width = width;
      this.#heights.forget();
    }
    this.#layOut();
  }

  #loadIfNear() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    if (this.#scroller.hidden || this.#rows.length === 0) return;
    if (scrollTop < NEAR_TOP && !this.#chat.conversations.loadError) this.#chat.conversations.loadOlder();
    if (scrollHeight - scrollTop - clientHeight < NEAR_TOP && !this.#chat.isAtHead) this.#chat.conversations.loadNewer();
  }

  // MARK: Layout

  /** Remembers the first visible row, which must not move when rows above it change. */
  #keepAnchor() {
    if (this.#anchor || this.isPinned) return;
    const edge = this.#scroller.getBoundingClientRect().top;
    for (const node of this.#list.children) {
      const box = node.getBoundingClientRect();
      if (box.bottom > edge && node.dataset.kind === 'message') {
        this.#anchor = { key: node.dataset.key, distance: box.top - edge };
        return;
      }
    }
  }

  /** Shows the rows of the visible part, measures them, and corrects the position, until nothing changes. */
  #layOut({ isScrolling = false } = {}) {
    if (this.#scroller.hidden) return;
    for (let round = 0; round < 4; round += 1) {
      this.#place();
      const before = isScrolling && round === 0 ? this.#firstVisible() : null;
      this.#show();
      const hasChanged = this.#measure();
      if (before && !this.isPinned) this.#holdStill(before);
      if (!hasChanged && round > 0) break;
      if (isScrolling && !hasChanged) break;
    }
    if (!isScrolling) this.#loadIfNear();
  }

  #place() {
    const scroller = this.#scroller;
    let top = null;
    if (this.isPinned) {
      top = scroller.scrollHeight;
    } else if (this.#anchor) {
      const index = this.indexOf(this.#anchor.key);
      if (index >= 0) top = this.#base() + this.#heights.offset(index) - this.#anchor.distance;
    }
    if (top !== null && Math.abs(scroller.scrollTop - top) >= 1) scroller.scrollTop = top;
  }

  /** The distance of the list from the top of the scrolled content. */
  #base() {
    return this.#list.offsetTop;
  }

  #show() {
    const { scrollTop, clientHeight } = this.#scroller;
    const total = this.#heights.total;
    const top = this.isPinned ? total - clientHeight : scrollTop - this.#base();
    const [first, end] = this.#heights.range(top - MARGIN, top + clientHeight + MARGIN);
    this.#shown = [first, end];
    const items = this.#rows.slice(first, end);
    const focused = this.indexOf(document.activeElement?.closest?.('#messages > [data-key]')?.dataset.key);
    // A focused row stays in the page, because the keyboard would otherwise lose its position.
    if (focused >= 0 && (focused < first || focused >= end)) items[focused < first ? 'unshift' : 'push'](this.#rows[focused]);
    const context = { chat: this.#chat, count: this.#rows.length, first };
    reconcile(this.#list, items, (row) => createRow(row, context), (node, row) => updateRow(node, row, context));
    items.forEach((_, index) => {
      const node = this.#list.children[index];
      if (node.tagName !== 'ARTICLE') return;
      setAttribute(node, 'aria-posinset', first + index + 1);
      // Tab moves to the newest message, and arrow keys move from there to the others.
      const tabIndex = first + index === this.#rows.length - 1 ? 0 : -1;
      if (node.tabIndex !== tabIndex) node.tabIndex = tabIndex;
    });
    const strayAbove = focused >= 0 && focused < first ? this.#list.firstElementChild.getBoundingClientRect().height : 0;
    this.#list.style.paddingTop = `${Math.max(0, this.#heights.offset(first) - strayAbove)}px`;
    this.#list.style.paddingBottom = `${Math.max(0, total - this.#heights.offset(end))}px`;
  }

  #measure() {
    const keys = new Map(this.#rows.slice(...this.#shown).map((row, index) => [row.key, this.#shown[0] + index]));
    let hasChanged = false;
    for (const node of this.#list.children) {
      const index = keys.get(node.dataset.key);
      if (index === undefined) continue;
      hasChanged = this.#heights.measured(index, node.getBoundingClientRect().height) || hasChanged;
    }
    return hasChanged;
  }

  #firstVisible() {
    const edge = this.#scroller.getBoundingClientRect().top;
    const node = [...this.#list.children].find((each) => each.getBoundingClientRect().bottom > edge);
    return node && { node, top: node.getBoundingClientRect().top };
  }

  /**
   * Corrects the position when rows above have another height than estimated, so that the visible part does not move.
   */
  #holdStill({ node, top }) {
    const [first, end] = this.#shown;
    this.#list.style.paddingTop = `${this.#heights.offset(first)}px`;
    this.#list.style.paddingBottom = `${this.#heights.total - this.#heights.offset(end)}px`;
    if (!node.isConnected) return;
    const moved = node.getBoundingClientRect().top - top;
    if (Math.abs(moved) >= 1) this.#scroller.scrollTop += moved;
  }
}

/** Announces new content to screen readers. */
export function announce(text) {
  byID('announcer').replaceChildren(element('p', {}, text));
}
