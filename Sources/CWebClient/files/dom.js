// DOM helpers. Text is inserted as text nodes only, never as HTML.

export const byID = (id) => document.getElementById(id);

/**
 * Makes an element.
 * @param properties set on it; `class` and `data` stand for `className` and `dataset`
 * @param children elements or strings
 */
export function element(tag, { class: className, data, ...properties } = {}, ...children) {
  const result = document.createElement(tag);
  if (className) result.className = className;
  Object.assign(result.dataset, data);
  Object.assign(result, properties);
  result.append(...children);
  return result;
}

/** Sets the text only if it differs, so that screen readers announce changes only. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
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
  let next = parent.firstElementChild;
  for (const item of items) {
    let child = old.get(item.key);
    if (child) {
      old.delete(item.key);
    } else {
      child = create(item);
      child.dataset.key = item.key;
    }
    update(child, item);
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  for (const child of old.values()) child.remove();
  // A moved element has lost the focus.
  if (focused && focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}
