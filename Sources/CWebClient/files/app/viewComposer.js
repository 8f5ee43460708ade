// The message field: sending, replying, editing, mentions, emojis, files, a location.
import { partLabel } from './attachments.js';
import { ask } from './dialog.js';
import { byID, element, reconcile, setAttribute, setText } from '../shared/dom.js';
import { drafts, setDraft } from './drafts.js';
import { scalarCount, sendable, TEXT_LIMIT } from '../shared/format.js';
import { plain } from './markdown.js';
import { candidates, completed, mentionAt } from './mention.js';
import { overlaid } from '../client/outbox.js';
import { S } from '../shared/strings.js';
import { pickEmoji } from './viewEmoji.js';
import { partElements } from './viewParts.js';
import { Tray } from './viewTray.js';
import { visible } from '../shared/visible.js';

/** The number of remaining characters at which the counter appears. */
const COUNTER_FROM = 300;
/** The width of a field, in pixels, in which there is no room for the title of a thread. */
const NARROW = 280;

export class Composer {
  #chat;
  #onSent;
  #field = byID('text');
  /** `{reply: message}`, `{edit: message}` or `null`. */
  #context = null;
  #mention = null;
  #chosen = 0;
  /** The text before an edit. */
  #kept = '';
  #note = '';
  #shownID = null;
  /** The timer of the next second of slow mode. */
  #countdown = 0;
  #tray;

  constructor(chat, onSent, signal) {
    this.#chat = chat;
    this.#onSent = onSent;
    const on = (id, type, action) => byID(id).addEventListener(type, action, { signal });
    on('composer', 'submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    on('text', 'input', () => this.#typed());
    on('text', 'keydown', (event) => this.#key(event));
    on('text', 'blur', () => this.#offer([]));
    on('text', 'click', () => this.#lookForMention());
    on('context-cancel', 'click', () => this.#setContext(null));
    on('add-emoji', 'click', () => pickEmoji(byID('add-emoji'), (emoji) => this.#insert(emoji)));
    on('add-location', 'click', () => this.#locate());
    on('mentions', 'pointerdown', (event) => {
      // The field keeps the focus.
      event.preventDefault();
      const name = event.target.closest('li')?.dataset.key;
      if (name) this.#complete(name);
    });
    this.#tray = new Tray(chat, (note = this.#note) => {
      this.#note = note;
      this.render();
    }, signal);
    byID('add-location').hidden = !navigator.geolocation || !isSecureContext;
  }

  /** Handles a change of the open thread. */
  opened() {
    const { openID, me } = this.#chat;
    this.#shownID = openID;
    this.#context = null;
    this.#note = '';
    this.#field.value = openID ? (drafts(me.id)[openID] ?? '') : '';
    this.#offer([]);
    this.#grow();
  }

  render() {
    const { openThread: thread, timeline } = this.#chat;
    const isReader = thread?.role === 'read_only';
    this.#field.disabled = isReader || Boolean(thread?.mute) || (!timeline.isLoaded && !thread);
    // On the narrowest phones the title would be cut off after a letter.
    const isNarrow = this.#field.clientWidth > 0 && this.#field.clientWidth < NARROW;
    const placeholder = isReader ? S.readOnly : thread?.title && !isNarrow ? S.messageTo(this.#chat.titleOf(thread)) : S.message;
    if (this.#field.placeholder !== placeholder) this.#field.placeholder = placeholder;
    for (const id of ['add-emoji', 'add-location', 'add-file']) byID(id).disabled = this.#field.disabled;
    // The field then only says that nothing can be written, and needs the room for it on a narrow screen.
    byID('composer').classList.toggle('is-reader', isReader);
    const text = sendable(this.#field.value);
    const left = text.length > TEXT_LIMIT - COUNTER_FROM ? TEXT_LIMIT - scalarCount(text) : TEXT_LIMIT;
    const isEdit = Boolean(this.#context?.edit);
    this.#tray.render({ isHidden: isEdit });
    const isEmpty = !text && (isEdit || this.#tray.isEmpty);
    const wait = isEdit ? 0 : this.#chat.client.slowWait(this.#chat.openID);
    byID('send').disabled = isEmpty || left < 0 || wait > 0 || this.#field.disabled || !(isEdit || this.#tray.isReady);
    clearTimeout(this.#countdown);
    // The next second of the countdown begins then.
    if (wait > 0) this.#countdown = setTimeout(() => this.render(), (wait % 1000) + 20);
    byID('composer').classList.toggle('too-long', left < 0);
    let hint = this.#note;
    if (left < 0) hint = S.charactersOver(-left, TEXT_LIMIT);
    else if (left < COUNTER_FROM) hint = S.charactersLeft(left);
    else if (wait > 0) hint = S.slowMode(Math.ceil(wait / 1000));
    setText(byID('composer-hint'), hint);
    this.#renderContext();
  }

  /** @returns whether the field has the focus; on a phone the focus would open the keyboard */
  focus({ isAsked = false } = {}) {
    if (this.#field.disabled || !(isAsked || !matchMedia('(pointer: coarse)').matches)) return false;
    this.#field.focus({ preventScroll: true });
    return true;
  }

  // MARK: Replying and editing

  reply(message) {
    this.#setContext({ reply: message });
  }

  edit(message) {
    if (!this.#context?.edit) this.#kept = this.#field.value;
    this.#field.value = message.text;
    this.#setContext({ edit: message });
  }

  #setContext(context) {
    if (this.#context?.edit && !context?.edit) this.#field.value = this.#kept;
    this.#context = context;
    this.#grow();
    this.render();
    this.focus({ isAsked: true });
  }

  #renderContext() {
    const message = this.#context?.reply ?? this.#context?.edit;
    byID('context').hidden = !message;
    if (!message) return;
    const name = message.sender_id === this.#chat.me.id ? null : this.#chat.nameFor(message.sender_id, message.sender_name);
    setText(byID('context-title'), this.#context.edit ? S.editing : S.replyingTo(name));
    setText(byID('context-body'), plain(message.text).slice(0, 160) || (message.parts ?? []).map(partLabel).join(', '));
  }

  // MARK: Writing

  #typed() {
    this.#note = '';
    this.#grow();
    this.#lookForMention();
    if (!this.#context?.edit) {
      setDraft(this.#chat.me.id, this.#shownID, this.#field.value);
      this.#chat.client.setTyping(this.#shownID, this.#field.value.trim() !== '');
    }
    this.render();
  }

  /** Resizes the field to its text, up to the limit in the style sheet. */
  #grow() {
    this.#field.style.height = 'auto';
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }

  #insert(text) {
    const field = this.#field;
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
    this.#typed();
    this.focus({ isAsked: true });
  }

  #key(event) {
    const { key } = event;
    // Enter also confirms a character in an input method, which must not send the message.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.#mention && this.#mentionKey(key)) {
      event.preventDefault();
    } else if (key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      this.#send();
    } else if (key === 'Escape' && this.#context) {
      event.preventDefault();
      this.#setContext(null);
    } else if (key === 'ArrowUp' && this.#field.value === '' && !this.#context) {
      const { timeline, conversations: { changes }, me } = this.#chat;
      // Includes the pending changes.
      const shown = (row) => overlaid(row, changes.get(row.id) ?? [], me.id);
      const isMine = (row) => row.type === 'message' && row.sender_id === me.id && shown(row).text;
      const last = timeline.rows.findLast(isMine);
      const mine = last && shown(last);
      if (!mine) return;
      event.preventDefault();
      this.edit(mine);
    }
  }

  #send() {
    const text = sendable(this.#field.value);
    if (byID('send').disabled) return;
    const { edit, reply } = this.#context ?? {};
    if (edit) {
      if (text !== edit.text) this.#chat.edit(edit, text);
      this.#setContext(null);
      return;
    }
    const files = this.#tray.files();
    if (!this.#chat.send(text, { replyTo: reply?.seq, files })) {
      this.#note = S.tooMany;
      this.render();
      return;
    }
    this.#tray.clear();
    this.#note = '';
    this.#field.value = '';
    this.#context = null;
    this.#chat.conversations.toNewest();
    this.#onSent();
    this.#typed();
    this.focus({ isAsked: true });
  }

  #locate() {
    const asked = this.#shownID;
    navigator.geolocation.getCurrentPosition(async ({ coords }) => {
      const coordinates = [coords.longitude, coords.latitude].map((each) => Math.round(each * 1e5) / 1e5);
      const part = { type: 'application/geo+json', content: { type: 'Point', coordinates } };
      // The user sees what others will see, and whom, before it is sent.
      if (asked !== this.#shownID) return;
      const question = S.locationQuestion(this.#chat.titleOf(this.#chat.openThread));
      if (!(await ask(question, S.send, ...partElements([part]))) || asked !== this.#shownID) return;
      this.#chat.send('', { parts: [part] });
      this.#onSent();
    }, () => {
      this.#note = S.locationRefused;
      this.render();
    }, { timeout: 15_000, maximumAge: 60_000 });
  }

  // MARK: Mentions

  #lookForMention() {
    const { value, selectionStart } = this.#field;
    const mention = mentionAt(value, selectionStart);
    this.#mention = mention;
    this.#chosen = 0;
    this.#offer(mention ? candidates(mention.prefix, this.#chat.mentionable()) : []);
  }

  /** @param users `{username, name}` */
  #offer(users) {
    if (users.length === 0) this.#mention = null;
    const list = byID('mentions');
    list.hidden = users.length === 0;
    reconcile(list, users.map(({ username, name }) => ({ key: username, name })),
      ({ key }) => element('li', { id: `mention-${key}`, attributes: { role: 'option' } }),
      (node, { key, name }) => setText(node, name ? `@${key} ${visible(name)}` : `@${key}`));
    this.#markChosen();
  }

  #markChosen() {
    const options = [...byID('mentions').children];
    options.forEach((node, index) => setAttribute(node, 'aria-selected', index === this.#chosen));
    setAttribute(this.#field, 'aria-activedescendant', options[this.#chosen]?.id ?? null);
  }

  #mentionKey(key) {
    const names = [...byID('mentions').children].map((node) => node.dataset.key);
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step) {
      this.#chosen = (this.#chosen + step + names.length) % names.length;
      this.#markChosen();
    } else if (key === 'Enter' || key === 'Tab') {
      this.#complete(names[this.#chosen]);
    } else if (key === 'Escape') {
      this.#offer([]);
    } else {
      return false;
    }
    return true;
  }

  #complete(name) {
    const { text, cursor } = completed(this.#field.value, this.#field.selectionStart, this.#mention, name);
    this.#field.value = text;
    this.#field.setSelectionRange(cursor, cursor);
    this.#typed();
  }
}
