// Modal dialogs. `<dialog>` keeps the focus inside and restores it.
import { element, iconButton, setNote } from '../shared/dom.js';
import { S } from '../shared/strings.js';

let count = 0;

/**
 * Opens a dialog with a heading and `content`.
 * @returns `{dialog, close, note}`; `note(text)` shows an error
 */
export function openDialog(title, ...content) {
  count += 1;
  const headingID = `dialog-${count}`;
  const error = element('p', { class: 'error', hidden: true, attributes: { role: 'alert' } });
  const dialog = element('dialog', { class: 'dialog', attributes: { 'aria-labelledby': headingID } },
    element('header', { class: 'dialog-bar' },
      element('h2', { id: headingID, tabIndex: -1 }, title),
      iconButton('close', S.close, { data: { action: 'close' } })),
    element('div', { class: 'dialog-body' }, ...content, error));
  const close = () => dialog.close();
  dialog.querySelector('[data-action=close]').addEventListener('click', close);
  dialog.addEventListener('click', (event) => {
    // The backdrop belongs to the dialog itself.
    if (event.target === dialog) close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, close, note: (text) => setNote(error, text) };
}

/**
 * Asks before an action that cannot be undone.
 * @param label of the button that agrees
 * @param content what the question is about
 * @returns whether the user agrees
 */
export function ask(question, label, ...content) {
  return new Promise((resolve) => {
    const agree = element('button', { class: content.length > 0 ? 'primary' : 'danger', type: 'button', data: { action: 'agree' } }, label);
    const cancel = element('button', { class: 'secondary', type: 'button' }, S.cancel);
    const { dialog, close } = openDialog(question, ...content, element('div', { class: 'dialog-actions' }, agree, cancel));
    dialog.classList.add('question');
    agree.addEventListener('click', () => {
      resolve(true);
      close();
    });
    cancel.addEventListener('click', close);
    dialog.addEventListener('close', () => resolve(false));
    agree.focus();
  });
}

/**
 * Runs what few visitors need, whose script is loaded for it.
 * @param load loads the script and calls it @param note shows an error
 */
export async function later(load, note) {
  note(null);
  try {
    await load();
  } catch (error) {
    // The script of another version does not run.
    note(error instanceof TypeError ? S.noConnection : S.newVersion);
  }
}

/** Closes all dialogs, at the logout. */
export function closeDialogs() {
  for (const dialog of document.querySelectorAll('dialog')) dialog.close();
}

/** A choice of who can join a room. */
export function visibilitySelect(id, selected) {
  return element('select', { id },
    ...Object.entries(S.visibilities).map(([value, label]) => element('option', { value, selected: value === selected }, label)));
}

/** A choice of what new members see of the time before. */
export function historySelect(id, selected) {
  return element('select', { id },
    ...Object.entries(S.histories).map(([value, label]) => element('option', { value, selected: value === selected }, label)));
}

/** A field with its label. */
export function labelled(label, field) {
  count += 1;
  field.id ||= `field-${count}`;
  return element('div', { class: 'labelled' }, element('label', { htmlFor: field.id }, label), field);
}

/** Calls `action` after the last of several events. Only the newest answer is used. */
export function debounced(action, delay = 200) {
  let timer = null;
  let newest = 0;
  return (...parameters) => {
    clearTimeout(timer);
    newest += 1;
    const mine = newest;
    timer = setTimeout(() => action(() => mine === newest, ...parameters), delay);
  };
}
