// DOM helpers. Text is inserted as text nodes only, never as HTML.
import { hue, initials } from './format.js';

export const byID = (id) => document.getElementById(id);

/**
 * Creates an element.
 * @param properties properties to set; `class` and `data` stand for `className` and `dataset`, `attributes` for
 * attributes
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

/** A circle with a user's picture, or with initials in a color derived from the ID. */
export function avatar(id, name, url = null) {
  const result = element('span', { class: 'avatar small', attributes: { 'aria-hidden': 'true' } });
  showAvatar(result, id, name, url);
  return result;
}

/** Shows another user, thread or picture in such a circle. If the picture cannot be loaded, the initials remain. */
export function showAvatar(node, id, name, url) {
  const colour = `${hue(id)}`;
  if (node.dataset.hue !== colour) node.dataset.hue = colour;
  const image = node.querySelector('img');
  const text = image ? '' : initials(name);
  if (!url && (image || node.textContent !== text)) node.replaceChildren(initials(name));
  if (!url || image?.getAttribute('src') === url || node.dataset.missing === url) return;
  const picture = element('img', { alt: '', decoding: 'async' });
  picture.addEventListener('error', () => {
    // The circle shows another picture or was removed.
    if (!picture.isConnected) return;
    node.dataset.missing = url;
    node.replaceChildren(initials(name));
  });
  picture.src = url;
  node.replaceChildren(picture);
}

/** Requests pictures that could not be loaded again, after the connection was restored. */
export function retryAvatars(root) {
  for (const node of root.querySelectorAll('[data-missing]')) delete node.dataset.missing;
}

const SVG = 'http://www.w3.org/2000/svg';

/** A symbol of icons.svg, whose address is relative to the page. */
export function icon(name) {
  const result = document.createElementNS(SVG, 'svg');
  result.setAttribute('class', 'icon');
  result.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `shared/icons.svg#${name}`);
  result.append(use);
  return result;
}

/** A button with an icon and an accessible label. */
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

/** Shows a text in an element, which is hidden if there is no text. */
export function setNote(node, text) {
  setText(node, text ?? '');
  node.hidden = !text;
}

/**
 * Synchronizes the children of `parent` with `items`, in order. An element exists as long as the `key` of its item.
 * @param create creates the element of an item
 * @param update updates an element from its item, including new elements
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
