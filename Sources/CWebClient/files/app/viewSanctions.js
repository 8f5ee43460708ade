// Mutes and bans in the dialog of a room: the list of what is in force, and the form for another one.
import * as api from './api.js';
import { labelled, openDialog } from './dialog.js';
import { explain } from '../shared/errors.js';
import { element } from '../shared/dom.js';
import { mayActOn, REASON_LIMIT, requestOf, sanctionText, SECONDS } from './sanctions.js';
import { S } from '../shared/strings.js';

/** The maximum number of mutes and bans shown. */
const MAX_SANCTIONS = 1_000;

const START = { mute: api.mute, ban: api.ban };
const END = { mute: api.unmute, ban: api.unban };

/** The mutes and bans of a room that are in force. */
async function loadSanctions(threadID) {
  const sanctions = [];
  let cursor;
  do {
    const page = await api.sanctions(threadID, cursor);
    sanctions.push(...page.sanctions);
    cursor = page.next_cursor ?? undefined;
  } while (cursor && sanctions.length < MAX_SANCTIONS);
  return sanctions;
}

/** Ends a mute or a ban. A sanction that has ended in the meantime is not an error. */
async function end(threadID, { user, kind }) {
  try {
    await END[kind](threadID, user.id);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
}

export class Sanctions {
  #thread;
  #me;
  #nameOf;
  #change;
  #list = element('ul', { class: 'choices' });
  #all = [];
  section = element('section', { class: 'sanctions', hidden: true }, element('h3', {}, S.sanctions), this.#list);

  /** @param host `thread`, `me`, `nameOf(user)`, and `change(call)`, which runs a call and shows everything again */
  constructor({ thread, me, nameOf, change }) {
    this.#thread = thread;
    this.#me = me;
    this.#nameOf = nameOf;
    this.#change = change;
  }

  /** Loads what is in force, and shows it. @param roles the role of each member by ID */
  async show(roles) {
    this.#all = await loadSanctions(this.#thread.id);
    this.section.hidden = this.#all.length === 0;
    this.#list.replaceChildren(...this.#all.map((each) => this.#row(each, roles)));
  }

  #row(sanction, roles) {
    const { user, kind } = sanction;
    const name = this.#nameOf(user);
    const row = element('li', { class: 'sanction', data: { user: user.id, kind } },
      element('span', { class: 'choice-name' }, element('strong', {}, name), element('span', { class: 'hint', dir: 'auto' }, sanctionText(sanction, Date.now()))));
    if (user.id === this.#me || !mayActOn(roles.get(user.id), this.#thread.role)) return row;
    const button = element('button', {
      class: 'secondary', type: 'button', data: { action: 'end-sanction' }, attributes: { 'aria-label': S.endSanctionOf(kind, name) },
    }, S.endSanction);
    button.addEventListener('click', () => this.#change(() => end(this.#thread.id, sanction)));
    row.append(button);
    return row;
  }

  /** Opens the form that mutes or bans a member. */
  open(user) {
    const { id } = this.#thread;
    const kind = select('sanction-kind', S.sanctionKinds);
    const duration = select('sanction-duration', Object.fromEntries(Object.keys(SECONDS).map((key) => [key, S.durations[key]])));
    const reason = element('input', { id: 'sanction-reason', maxLength: REASON_LIMIT, autocomplete: 'off' });
    const submit = element('button', { type: 'submit', data: { action: 'sanction' } });
    const form = element('form', { class: 'stack' }, labelled(S.sanctionKind, kind), labelled(S.duration, duration), labelled(S.reason, reason), submit);
    const mute = this.#all.find((each) => each.kind === 'mute' && each.user.id === user.id);
    const endMute = element('button', { class: 'secondary', type: 'button', data: { action: 'end-mute' } }, S.endMute);
    const present = mute ? [element('p', { class: 'hint', dir: 'auto' }, sanctionText(mute, Date.now())), element('div', { class: 'dialog-actions' }, endMute)] : [];
    const { close, note } = openDialog(S.sanctionMember(this.#nameOf(user)), ...present, form);
    const perform = async (call) => {
      note(null);
      for (const each of [submit, endMute]) each.disabled = true;
      try {
        await call();
        close();
        this.#change(() => {});
      } catch (error) {
        note(explain(error));
        for (const each of [submit, endMute]) each.disabled = false;
      }
    };
    const named = () => {
      submit.className = kind.value === 'ban' ? 'danger' : 'primary';
      submit.textContent = S.sanctionVerbs[kind.value];
    };
    kind.addEventListener('change', named);
    named();
    endMute.addEventListener('click', () => perform(() => end(id, mute)));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      perform(() => START[kind.value](id, user.id, requestOf(duration.value, reason.value)));
    });
    kind.focus();
  }
}

const select = (id, labels) => element('select', { id }, ...Object.entries(labels).map(([value, label]) => element('option', { value }, label)));
