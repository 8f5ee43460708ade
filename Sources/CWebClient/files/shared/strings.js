// The texts of the web app in the language of the browser: English, or German.
import { english } from './english.js';
import { german } from './german.js';

const ALL = { de: german, en: english };

/** The first of the preferred languages that the app speaks. @param languages such as `de-AT` */
export const stringsFor = (languages) => ALL[languages.map((each) => each.slice(0, 2).toLowerCase()).find((each) => each in ALL)] ?? english;

export const S = stringsFor(globalThis.navigator?.languages ?? []);

/** Sets the texts of the elements in the page's HTML: `data-text`, `data-label`, `data-placeholder`. */
export function fillIn(root) {
  root.documentElement.lang = S.language;
  for (const node of root.querySelectorAll('[data-text]')) node.textContent = S[node.dataset.text];
  for (const node of root.querySelectorAll('[data-placeholder]')) node.placeholder = S[node.dataset.placeholder];
  for (const node of root.querySelectorAll('[data-label]')) {
    node.setAttribute('aria-label', S[node.dataset.label]);
    if (node.tagName === 'BUTTON' || node.tagName === 'A') node.title = S[node.dataset.title ?? node.dataset.label];
  }
}
