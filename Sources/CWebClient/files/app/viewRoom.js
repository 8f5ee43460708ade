// The dialog about a room or group: a form for its owner and moderators, and a text for the others. Loaded when it is opened.
import * as api from './api.js';
import { ask, historySelect, labelled, openDialog, visibilitySelect } from './dialog.js';
import { square } from './picture.js';
import { roomPicture } from './profiles.js';
import { avatar, element, setAttribute, setNote, setText, showAvatar } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { R } from '../shared/roomStrings.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';
import { changeable, changesOf, errorsIn, factsOf, failureOf, isManager, LIMITS, pausesWith, RIGHTS, valuesOf } from './roomForm.js';

/** @param id of the room or group @param role of the user, for the heading only */
export async function openRoom(id, role) {
  const status = element('p', { class: 'hint', attributes: { role: 'status' } }, S.loading);
  const body = element('div', { class: 'stack' });
  const { dialog, note } = openDialog(isManager(role) ? S.roomSettings : S.aboutRoom, status, body);
  try {
    const thread = await api.thread(id);
    if (!dialog.isConnected) return;
    setText(status, '');
    if (isManager(thread.role)) {
      body.append(pictureSection(thread));
      new RoomForm(thread, body, status);
    } else {
      if (thread.picture) body.append(large(thread));
      body.append(...about(valuesOf(thread)));
    }
  } catch (error) {
    setText(status, '');
    note(explain(error));
  }
}

/** The picture of a room in its dialog. */
function large(thread) {
  const result = avatar(thread.id, thread.title, roomPicture(thread));
  result.classList.replace('small', 'large');
  return result;
}

/** The picture with what the owner and the moderators do with it. It is saved at once, apart from the form. */
function pictureSection(thread) {
  const picture = large(thread);
  const outcome = element('p', { class: 'hint', attributes: { role: 'status' } });
  const input = element('input', { id: 'room-picture', type: 'file', accept: 'image/*', hidden: true, attributes: { 'aria-label': S.choosePicture } });
  const choose = element('button', { class: 'secondary', type: 'button', data: { action: 'choose-room-picture' } }, S.choosePicture);
  const remove = element('button', { class: 'secondary', type: 'button', hidden: !thread.picture, data: { action: 'remove-room-picture' } }, S.removePicture);

  /** Saves the picture that `make` resolves to, and reports the result. */
  async function change(make) {
    outcome.className = 'hint';
    setText(outcome, S.saving);
    choose.disabled = true;
    let made = null;
    try {
      made = await make();
      const changed = await api.changeRoom(thread.id, { picture: made });
      showAvatar(picture, thread.id, changed.title, roomPicture(changed));
      remove.hidden = !changed.picture;
      setText(outcome, S.saved);
      if (remove.hidden) choose.focus();
    } catch (error) {
      if (made) api.rest.discardAttachment(made).catch(() => {});
      outcome.className = 'error';
      setText(outcome, explain(error));
    } finally {
      choose.disabled = false;
    }
  }

  choose.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files;
    input.value = '';
    if (!file) return;
    change(async () => {
      const blob = await square(file);
      if (!blob) throw new Error(S.noPicture(file.name));
      return (await api.uploadSmall(blob, 'room.jpg')).id;
    });
  });
  remove.addEventListener('click', () => change(async () => null));
  return element('section', { class: 'section', attributes: { 'aria-label': S.picture } }, element('div', { class: 'avatar-row' }, picture, input, choose, remove), outcome);
}

/** The text for members. */
function about(values) {
  const section = (heading, text) => element('section', { class: 'section' }, element('h3', {}, heading), element('p', { class: 'written', dir: 'auto' }, text));
  const parts = [];
  if (values.topic) parts.push(element('p', { class: 'written', dir: 'auto' }, visible(values.topic)));
  if (values.description) parts.push(section(R.description, values.description));
  if (values.rules) parts.push(section(R.rules, values.rules));
  const facts = factsOf(values);
  if (facts.length > 0) parts.push(element('ul', { class: 'hint' }, ...facts.map((fact) => element('li', {}, fact))));
  return parts.length > 0 ? parts : [element('p', { class: 'hint' }, R.nothingAbout)];
}

const select = (id, labels) => element('select', { id }, ...Object.entries(labels).map(([value, label]) => element('option', { value }, label)));
const line = (id) => element('input', { id, autocomplete: 'off', dir: 'auto' });
const text = (id, rows) => element('textarea', { id, rows, dir: 'auto' });

class RoomForm {
  #thread;
  /** The values that the server has. */
  #stored;
  #names;
  #status;
  #form = element('form', { class: 'stack', noValidate: true });
  #archiveSection = element('section', { class: 'stack' });
  #submit = element('button', { class: 'primary', type: 'submit', data: { action: 'save-room' } }, S.save);
  /** The elements for each field: `{input, error, describedBy}`. */
  #fields = {};

  /** @param body the element for the form @param status the element that tells the outcome */
  constructor(thread, body, status) {
    this.#thread = thread;
    this.#names = changeable(thread);
    this.#status = status;
    this.#stored = valuesOf(thread);
    this.#form.append(...this.#rows(), element('div', { class: 'dialog-actions' }, this.#submit), status);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#save();
    });
    body.append(this.#form);
    this.#fill();
    if (thread.role === 'owner') body.append(this.#archiveSection);
    this.#showArchive();
  }

  #rows() {
    const row = (name, label, input, hint) => this.#row(name, label, input, hint);
    const rights = element('fieldset', { class: 'stack' }, element('legend', {}, R.rights),
      ...Object.keys(RIGHTS).map((name) => row(name, R.right[name], select(`room-${name}`, R.holders))));
    const pauses = pausesWith(this.#stored.slow);
    const slow = element('select', { id: 'room-slow' }, ...pauses.map((seconds) => element('option', { value: `${seconds}` }, seconds === 0 ? R.noSlow : R.pause(seconds))));
    return [
      ...(this.#thread.role === 'owner' ? [] : [element('p', { class: 'hint' }, R.ownerOnly)]),
      row('title', S.title, line('room-name')), row('topic', R.topic, line('room-topic')),
      row('description', R.description, text('room-description', 3), R.limit(LIMITS.description)), row('rules', R.rules, text('room-rules', 4), R.limit(LIMITS.rules)),
      ...(this.#thread.kind === 'group' ? [] : [row('visibility', S.visibility, visibilitySelect('room-visibility'))]),
      row('history', S.history, historySelect('room-history')), row('slow', R.slow, slow, R.slowHint), rights,
    ];
  }

  #row(name, label, input, hint) {
    const error = element('p', { id: `${input.id}-error`, class: 'error', hidden: true });
    const parts = hint ? [element('p', { id: `${input.id}-hint`, class: 'hint' }, hint)] : [];
    this.#fields[name] = { input, error, describedBy: parts.map(({ id }) => id).join() };
    input.disabled = !this.#names.includes(name);
    // A corrected field is not wrong until it is sent again.
    for (const type of ['input', 'change']) input.addEventListener(type, () => this.#mark(name, null));
    const result = labelled(label, input);
    result.append(...parts, error);
    this.#mark(name, null);
    return result;
  }

  /** Shows the error of a field, or that there is none. */
  #mark(name, message) {
    const { input, error, describedBy } = this.#fields[name];
    setNote(error, message);
    setAttribute(input, 'aria-invalid', message ? 'true' : null);
    setAttribute(input, 'aria-describedby', [message ? error.id : '', describedBy].filter(Boolean).join(' ') || null);
  }

  /** Marks fields, and moves the focus to the first of them. @param errors texts by field */
  #markAll(errors) {
    const [first] = Object.keys(this.#fields).filter((name) => {
      this.#mark(name, errors[name] ?? null);
      return errors[name];
    });
    this.#fields[first]?.input.focus();
    return first !== undefined;
  }

  #fill() {
    for (const [name, { input }] of Object.entries(this.#fields)) input.value = this.#stored[name];
  }

  #values() {
    return { ...this.#stored, ...Object.fromEntries(Object.entries(this.#fields).map(([name, { input }]) => [name, input.value])) };
  }

  async #save() {
    this.#say(null, '');
    const values = this.#values();
    if (this.#markAll(errorsIn(values, this.#names))) {
      this.#say(R.checkFields, '');
      return;
    }
    const body = changesOf(this.#stored, values, this.#names);
    if (!body) {
      this.#say(null, R.unchanged);
      return;
    }
    await this.#change(body, () => {
      this.#fill();
      this.#say(null, S.saved);
    });
  }

  /** @param error for the whole form; `null` for none @param done the text after a success */
  #say(error, done) {
    this.#status.className = error ? 'error' : 'hint';
    setText(this.#status, error ?? done);
  }

  /** Makes a call that changes the room. @param done called after it */
  async #change(body, done) {
    this.#submit.disabled = true;
    try {
      this.#took(await api.changeRoom(this.#thread.id, body));
      done();
    } catch (error) {
      const { field, text: message } = failureOf(error, body);
      this.#say(field ? R.failed : message, '');
      if (field) this.#markAll({ [field]: message });
      // A call with several fields may have changed some of them.
      await api.thread(this.#thread.id).then((thread) => this.#took(thread), () => {});
    } finally {
      this.#submit.disabled = false;
    }
  }

  #took(thread) {
    this.#thread = thread;
    this.#stored = valuesOf(thread);
    this.#showArchive();
  }

  #showArchive() {
    const isArchived = this.#thread.archived === true;
    const button = element('button', { class: isArchived ? 'secondary' : 'danger', type: 'button', data: { action: isArchived ? 'reopen-room' : 'archive-room' } }, isArchived ? R.reopen : R.archive);
    button.addEventListener('click', async () => {
      if (!isArchived && !(await ask(R.archiveQuestion(visible(this.#thread.title)), R.archive))) return;
      this.#say(null, '');
      await this.#change({ archived: !isArchived }, () => this.#say(null, isArchived ? R.reopened : R.archived));
      // The button that had the focus was replaced.
      this.#archiveSection.querySelector('button').focus();
    });
    this.#archiveSection.replaceChildren(element('p', { class: 'hint' }, isArchived ? R.isArchived : R.archiveHint), element('div', { class: 'dialog-actions' }, button));
  }
}
