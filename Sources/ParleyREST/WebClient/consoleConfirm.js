// Asks before something is done that cannot be taken back.
import { byID, setText } from './dom.js';

/** @returns whether the operator agrees to `{title, text, action}` */
export function confirm({ title, text, action }) {
  const dialog = byID('confirm');
  setText(byID('confirm-title'), title);
  setText(byID('confirm-text'), text);
  setText(byID('confirm-yes'), action);
  // Esc leaves it as it was before.
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
