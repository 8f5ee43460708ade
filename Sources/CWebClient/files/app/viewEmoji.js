// The emoji picker: one element, shown beside whatever opened it.
import { element, reconcile } from '../shared/dom.js';
import { findEmojis } from './emojis.js';
import { S } from '../shared/strings.js';

/** Emojis in a row of the grid. */
const COLUMNS = 8;

let open = null;

/** Shows the picker beside `opener`, and calls `onChosen(emoji)`. */
export function pickEmoji(opener, onChosen) {
  open?.close();
  const field = element('input', {
    type: 'search', placeholder: S.findEmoji, autocomplete: 'off', attributes: { 'aria-label': S.findEmoji },
  });
  const grid = element('div', { class: 'emoji-grid', attributes: { role: 'group', 'aria-label': S.emoji } });
  const none = element('p', { class: 'hint', hidden: true }, S.noEmoji);
  const panel = element('div', { class: 'emoji-panel', attributes: { role: 'dialog', 'aria-label': S.emoji } }, field, grid, none);
  const controller = new AbortController();
  const { signal } = controller;
  const close = (returnsFocus) => {
    if (open?.panel !== panel) return;
    open = null;
    controller.abort();
    panel.remove();
    opener.setAttribute('aria-expanded', 'false');
    if (returnsFocus) opener.focus({ preventScroll: true });
  };
  open = { panel, close };
  const show = () => {
    const found = findEmojis(field.value).map(([emoji, words]) => ({ key: emoji, words }));
    none.hidden = found.length > 0;
    const create = ({ key, words }) => element('button', {
      type: 'button', title: words, data: { emoji: key }, attributes: { 'aria-label': words },
    }, key);
    reconcile(grid, found, create, () => {});
  };
  const choose = (emoji) => {
    close(true);
    onChosen(emoji);
  };
  field.addEventListener('input', show);
  grid.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (button) choose(button.dataset.emoji);
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close(true);
    else if (event.key === 'Enter' && event.target === field && grid.firstElementChild) choose(grid.firstElementChild.dataset.emoji);
    else if (!move(event, field, grid)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', (event) => {
    if (!panel.contains(event.target) && !opener.contains(event.target)) close(false);
  }, { signal });
  show();
  opener.setAttribute('aria-expanded', 'true');
  document.body.append(panel);
  place(panel, opener);
  field.focus({ preventScroll: true });
}

/** Arrow keys move in the grid, and into it from the field. */
function move({ key, target }, field, grid) {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }[key];
  const buttons = [...grid.children];
  if (!step || (target === field && key !== 'ArrowDown')) return false;
  const index = target === field ? 0 : buttons.indexOf(target) + step;
  (buttons[index] ?? (index < 0 ? field : null))?.focus();
  return true;
}

function place(panel, opener) {
  const { innerWidth, innerHeight } = window;
  const anchor = opener.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const top = anchor.top - height - 8 > 8 ? anchor.top - height - 8 : Math.min(anchor.bottom + 8, innerHeight - height - 8);
  panel.style.top = `${Math.max(8, top)}px`;
  panel.style.left = `${Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))}px`;
}
