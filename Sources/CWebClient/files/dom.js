// DOM helpers. Text is inserted as text nodes only, never as HTML.
import { hue, initials } from './format.js';

export const byID = (id) => document.getElementById(id);

/**
 * Makes an element.
 * @param properties set on it; `class` and `data` stand for `className` and `dataset`, `attributes` for attributes
 * @param children elements or strings
 */
export function element(tag, { class: className, data, attributes, ...properties } = {}, ...children) {
  const result = document.createElement(tag);
  if (className) result.className = className;
  Object.assign(result.dataset, data);
  Object.assign(result, properties);
  for (const [name, value] of Object.entries(attributes ?? {})) result.setAttribute(name, value);
  result.append(...children.filter((child) => child !== null && child !== undefined));
  return result;
}

/** A circle with the picture of a user, or with initials in the colour of the id. */
export function avatar(id, name, url = null) {
  const result = element('span', { class: 'avatar small', attributes: { 'aria-hidden': 'true' } });
  showAvatar(result, id, name, url);
  return result;
}

/** Shows another user, thread or picture in such a circle. A picture that cannot be loaded leaves the initials. */
export function showAvatar(node, id, name, url) {
  const colour = `${hue(id)}`;
  if (node.dataset.hue !== colour) node.dataset.hue = colour;
  const image = node.querySelector('img');
  const text = image ? '' : initials(name);
  if (!url && (image || node.textContent !== text)) node.replaceChildren(initials(name));
  if (!url || image?.getAttribute('src') === url || node.dataset.missing === url) return;
  const picture = element('img', { alt: '', decoding: 'async' });
  picture.addEventListener('error', () => {
    // The circle shows another one by now, or is gone.
    if (!picture.isConnected) return;
    node.dataset.missing = url;
    node.replaceChildren(initials(name));
  });
  picture.src = url;
  node.replaceChildren(picture);
}

/** Pictures that could not be loaded are asked for again when they are shown next, since the connection is back. */
export function retryAvatars(root) {
  for (const node of root.querySelectorAll('[data-missing]')) delete node.dataset.missing;
}

const SVG = 'http://www.w3.org/2000/svg';

/** A symbol of icons.svg. */
export function icon(name) {
  const result = document.createElementNS(SVG, 'svg');
  result.setAttribute('class', 'icon');
  result.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `/icons.svg#${name}`);
  result.append(use);
  return result;
}

/** A button with an icon, whose name is in its label. */
export const iconButton = (name, label, properties = {}) =>
  element('button', {
    class: 'icon-button small', type: 'button', title: label, ...properties, attributes: { 'aria-label': label, ...properties.attributes },
  }, icon(name));

/** Sets the text only if it differs, so that screen readers announce changes only. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== `${value}`) node.setAttribute(name, value);
}

/** Shows the text in an element, which is hidden if there is none. */
export function setNote(node, text) {
  setText(node, text ?? '');
  node.hidden = !text;
}

/**
 * Synchronises the children of `parent` with `items`, in order: an element is kept as long as its item's `key`.
 * @param create makes the element of an item
 * @param update updates an element from its item; called for new ones too
 */
export function reconcile(parent, items, create, update) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const wanted = new Set(items.map((item) => item.key));
  for (const [key, child] of old) if (!wanted.has(key)) child.remove();
  let next = parent.firstElementChild;
  for (const item of items) {
    let child = old.get(item.key);
    if (!child) {
      child = create(item);
      child.dataset.key = item.key;
    }
    update(child, item);
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  // A moved element has lost the focus.
  if (focused && focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}
