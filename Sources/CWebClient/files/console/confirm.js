// A confirmation dialog for changes that cannot be undone.
import { byID, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

/**
 * @param name a name that the operator has to enter, for what is final; optional
 * @returns whether the operator confirms `{title, text, action}`
 */
export function confirm({ title, text, action, name = null }) {
  const [dialog, yes, input] = [byID('confirm'), byID('confirm-yes'), byID('confirm-name')];
  setText(byID('confirm-title'), title);
  setText(byID('confirm-text'), text);
  setText(yes, action);
  setText(byID('confirm-name-label'), name === null ? '' : `Enter ${visible(name)} to confirm`);
  byID('confirm-name-part').hidden = name === null;
  input.value = '';
  const check = () => { yes.disabled = name !== null && input.value !== name; };
  input.oninput = check;
  check();
  // Esc keeps the previous return value.
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
