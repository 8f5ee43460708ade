// The actions of an operator on a room: visibility, history, mutes and bans, links, deletions.
import * as api from './api.js';
import { confirm } from './confirm.js';
import { ago, span } from './format.js';
import { fields, rest } from './restrict.js';
import { byID, element, reconcile, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

/** The actions below a thread. A direct thread has the deletion of messages only. */
export class RoomActions {
  #thread = null;
  #onChanged;

  /** @param onChanged called after a change with what happened */
  constructor(onChanged) {
    this.#onChanged = onChanged;
    for (const name of ['visibility', 'history']) {
      const field = byID(`room-${name}`);
      field.addEventListener('change', () => this.#run(field, () => this.#change(name, field)));
    }
    this.#submit('sanction-form', () => this.#sanction());
    this.#submit('delete-message', () => this.#deleteMessage());
    byID('delete-room').addEventListener('click', () => this.#run(byID('delete-room'), () => this.#deleteRoom()));
  }

  /** Forgets the thread and the entries before another subject is shown. */
  forget() {
    this.#thread = null;
    for (const form of ['sanction-form', 'delete-message']) byID(form).reset();
    for (const list of ['sanctions', 'links']) byID(list).replaceChildren();
    for (const note of ['sanctions-empty', 'sanctions-more', 'links-empty']) byID(note).hidden = true;
    setNote(byID('room-error'), null);
  }

  /** @param found an answer about a thread */
  render({ thread }) {
    const isRoom = thread.kind === 'room';
    const isOther = this.#thread?.id !== thread.id;
    this.#thread = thread;
    byID('room-part').hidden = !isRoom;
    for (const name of ['visibility', 'history']) {
      const field = byID(`room-${name}`);
      // A choice that is being made is not replaced.
      if (document.activeElement !== field && thread[name]) field.value = thread[name];
    }
    if (isOther && isRoom) this.#load();
  }

  /** Mutes, bans and links, which are read when a room is opened and after changes, not at each poll. */
  async #load() {
    const { id } = this.#thread;
    try {
      const [sanctions, links] = await Promise.all([api.sanctions(id), api.links(id)]);
      if (id !== this.#thread?.id) return;
      this.#renderSanctions(sanctions);
      this.#renderLinks(links);
    } catch (error) {
      if (id === this.#thread?.id) setNote(byID('room-error'), error.message);
    }
  }

  #renderSanctions({ sanctions, next_cursor: more }) {
    byID('sanctions-empty').hidden = sanctions.length > 0;
    byID('sanctions-more').hidden = !more;
    const now = Date.now();
    reconcile(byID('sanctions'), sanctions.map((each) => ({ key: `${each.user.id} ${each.kind}`, each })), ({ each }) => {
      const end = element('button', { type: 'button', class: 'link' }, 'End');
      end.addEventListener('click', () => this.#run(end, async () => {
        await api.endSanction(this.#thread.id, each.user.id, each.kind);
        return `The ${each.kind} of ${visible(each.user.username)} is ended.`;
      }));
      return element('li', {}, element('span', { class: 'pill' }, each.kind), element('a'), element('span', { class: 'hint' }), end);
    }, (row, { each }) => {
      const [, link, text, end] = row.children;
      link.href = `#/user/${encodeURIComponent(each.user.id)}`;
      setText(link, visible(each.user.username));
      setText(text, rest(each, now));
      end.setAttribute('aria-label', `End the ${each.kind} of ${visible(each.user.username)}`);
    });
  }

  #renderLinks(links) {
    byID('links-empty').hidden = links.length > 0;
    const now = Date.now();
    reconcile(byID('links'), links.map((link) => ({ key: link.id, link })), ({ link }) => {
      const revoke = element('button', { type: 'button', class: 'link' }, 'Revoke');
      revoke.setAttribute('aria-label', `Revoke the link ${link.id}`);
      revoke.addEventListener('click', () => this.#run(revoke, async () => {
        await api.revokeLink(this.#thread.id, link.id);
        return 'The link is revoked.';
      }));
      return element('li', {}, element('a', { href: `#/user/${encodeURIComponent(link.by_id)}` }, visible(link.by_id)),
        element('span', { class: 'hint' }), revoke);
    }, (row, { link }) => setText(row.children[1], linkText(link, now)));
  }

  async #change(name, field) {
    await api.changeThread(this.#thread.id, { [name]: field.value });
    field.blur();
    return `The room's ${name} is changed.`;
  }

  async #sanction() {
    const kind = byID('sanction-kind').value;
    const wanted = fields(byID('sanction-hours').value, byID('sanction-reason').value);
    await api.sanction(this.#thread.id, byID('sanction-user').value.trim(), kind, wanted);
    byID('sanction-form').reset();
    return kind === 'ban' ? 'The user is banned, and no member any longer.' : 'The user is muted.';
  }

  async #deleteMessage() {
    const isMeant = await confirm({
      title: 'Delete this message?',
      text: 'Its text, files and reactions are removed for everyone. This cannot be undone.',
      action: 'Delete',
    });
    if (!isMeant) return null;
    await api.deleteMessage(this.#thread.id, byID('message-id').value.trim());
    byID('delete-message').reset();
    return 'The message is deleted.';
  }

  async #deleteRoom() {
    const title = this.#thread.title;
    const isMeant = await confirm({
      title: `Delete ${visible(title)}?`,
      text: 'The room, its members and its whole history are removed. This cannot be undone.',
      action: 'Delete',
      name: title,
    });
    if (!isMeant) return null;
    await api.deleteThread(this.#thread.id);
    return { isGone: true, text: `${visible(title)} was deleted.` };
  }

  #submit(form, action) {
    byID(form).addEventListener('submit', (event) => {
      event.preventDefault();
      this.#run(byID(form).querySelector('button'), action);
    });
  }

  async #run(control, action) {
    const { id } = this.#thread;
    control.disabled = true;
    setNote(byID('room-error'), null);
    try {
      const done = await action();
      if (!done) return;
      await this.#onChanged(done);
      if (!done.isGone && id === this.#thread?.id && this.#thread.kind === 'room') await this.#load();
    } catch (error) {
      if (id === this.#thread?.id) setNote(byID('room-error'), error.message);
    } finally {
      control.disabled = false;
    }
  }
}

/** The age, the end and the uses of a link. */
export function linkText({ since_ms: since, until_ms: until, uses, used }, now) {
  const end = until === undefined ? 'no end' : `${span(until - now)} more`;
  return `made ${ago(since, now)}, ${end}, used ${uses === undefined ? used : `${used} of ${uses}`}`;
}
