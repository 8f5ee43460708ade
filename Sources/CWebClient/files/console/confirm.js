// A confirmation dialog for changes that cannot be undone.
import { byID, setText } from '../shared/dom.js';

/** @returns whether the operator confirms `{title, text, action}` */
export function confirm({ title, text, action }) {
  const dialog = byID('confirm');
  setText(byID('confirm-title'), title);
  setText(byID('confirm-text'), text);
  setText(byID('confirm-yes'), action);
  // Esc keeps the previous return value.
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
