// The actions on a message: one toolbar, which is placed into the hovered or focused row.
import { ask } from './dialog.js';
import { byID, element, iconButton } from '../shared/dom.js';
import { QUICK } from './emojis.js';
import { S } from '../shared/strings.js';
import { pickEmoji } from './viewEmoji.js';
import { picturesOf } from './viewParts.js';
import { openPicture } from './viewPicture.js';

const positionOf = (event) => `${event.clientX} ${event.clientY}`;

export class MessageTools {
  #chat;
  #list;
  #handlers;
  /** Where the mouse was last seen. */
  #pointer = '';
  #bar = element('div', { class: 'tools', attributes: { role: 'toolbar', 'aria-label': S.actions } });

  /** @param handlers `onReply(message)` and `onEdit(message)` */
  constructor(chat, list, handlers, signal) {
    this.#chat = chat;
    this.#list = list;
    this.#handlers = handlers;
    const messages = byID('messages');
    const attach = (event) => this.#attach(event.target.closest('article'));
    messages.addEventListener('pointerover', (event) => {
      // Browsers send this event, too, if rows move below a mouse that rests: these do not take the toolbar from the focused row.
      const rests = this.#pointer === positionOf(event) && messages.contains(document.activeElement);
      if (event.pointerType === 'mouse' && !rests) attach(event);
    }, { signal });
    for (const type of ['pointerover', 'pointermove']) {
      document.addEventListener(type, (event) => { this.#pointer = positionOf(event); }, { signal, passive: true });
    }
    messages.addEventListener('focusin', attach, { signal });
    messages.addEventListener('pointerleave', () => {
      if (!messages.contains(document.activeElement)) this.#bar.remove();
    }, { signal });
    messages.addEventListener('click', (event) => this.#clicked(event), { signal });
    messages.addEventListener('keydown', (event) => this.#key(event), { signal });
  }

  /** Removes the toolbar when the user may no longer write. */
  render() {
    const row = this.#bar.parentElement;
    if (!row || this.#mayWrite) return;
    const hasFocus = this.#bar.contains(document.activeElement);
    this.#bar.remove();
    if (hasFocus) row.focus({ preventScroll: true });
  }

  #attach(node) {
    if (!node || this.#bar.parentElement === node) return;
    const message = this.#list.rowOf(node)?.message;
    if (!message || message.deleted || message.erased || !this.#mayWrite) {
      this.#bar.remove();
      return;
    }
    const isOwn = message.sender_id === this.#chat.me.id;
    const mayDelete = isOwn || ['owner', 'moderator'].includes(this.#chat.openThread?.role);
    this.#bar.replaceChildren(
      ...QUICK.slice(0, 3).map((emoji) => element('button', {
        class: 'quick', type: 'button', data: { action: 'quick', emoji }, attributes: { 'aria-label': `${S.react} ${emoji}` },
      }, emoji)),
      iconButton('smile', S.react, { data: { action: 'react' } }),
      iconButton('reply', S.reply, { data: { action: 'reply' } }),
      ...(isOwn ? [iconButton('edit', S.edit, { data: { action: 'edit' } })] : []),
      ...(mayDelete ? [iconButton('trash', S.remove, { data: { action: 'remove' } })] : []));
    node.append(this.#bar);
    // The bar is beside the bubble if there is room, and otherwise at the edge of its own row.
    this.#bar.style.setProperty('--bubble', `${node.querySelector('.bubble').offsetWidth}px`);
    this.#bar.style.setProperty('--bar', `${this.#bar.offsetWidth}px`);
  }

  get #mayWrite() {
    const { client, openID, openThread } = this.#chat;
    const { role, mute } = openThread ?? {};
    return role !== undefined && role !== 'read_only' && !mute && client.hindrance(openID) === null;
  }

  #clicked(event) {
    const node = event.target.closest('article');
    const row = this.#list.rowOf(node);
    const button = event.target.closest('button[data-action]');
    if (!row) return;
    // A tap shows the toolbar on a touch screen, which has no hovering.
    if (!button) {
      if (!event.target.closest('a, video, audio') && getSelection().isCollapsed) node.focus({ preventScroll: true });
      return;
    }
    this.#do(button.dataset.action, row, button);
  }

  #do(action, row, button) {
    const chat = this.#chat;
    const { message, entry } = row;
    const toggle = (emoji) => {
      const isOn = message.reactions?.find((each) => each.emoji === emoji)?.users.includes(chat.me.id) ?? false;
      if (this.#mayWrite) chat.react(message, emoji, !isOn);
    };
    switch (action) {
      case 'retry': chat.retry(entry.id); break;
      case 'discard': chat.discard(entry.id); break;
      case 'view': openPicture(picturesOf(message.parts), Number(button.dataset.index)); break;
      case 'quote': chat.conversations.jump(Number(button.dataset.seq)); break;
      case 'unfold': chat.unfold(message.id); break;
      case 'toggle': case 'quick': toggle(button.dataset.emoji); break;
      case 'react': pickEmoji(button, toggle); break;
      case 'reply': this.#handlers.onReply(message); break;
      case 'edit': this.#handlers.onEdit(message); break;
      case 'remove': ask(S.removeQuestion, S.remove).then((isSure) => isSure && chat.remove(message)); break;
      default:
    }
  }

  #key(event) {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (target.tagName !== 'ARTICLE' || ctrlKey || metaKey || altKey) return;
    const row = this.#list.rowOf(target);
    const index = this.#list.indexOf(row?.key);
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (step) {
      let next = index + step;
      while (this.#list.rows[next] && !this.#list.rows[next].message && !this.#list.rows[next].entry) next += step;
      if (this.#list.rows[next]) this.#list.focusRow(next);
      else if (step > 0) byID('text').focus();
    } else {
      // The keys of the buttons that are present.
      const action = { r: 'reply', e: 'edit', Delete: 'remove', '+': 'react', Enter: 'reply' }[key];
      const button = action && this.#bar.parentElement === target && this.#bar.querySelector(`[data-action=${action}]`);
      if (!button) return;
      this.#do(action, row, button);
    }
    event.preventDefault();
  }
}
