// The pictures of a message in full size.
import { openDialog } from './dialog.js';
import { element, icon, iconButton, setText } from '../shared/dom.js';
import { S } from '../shared/strings.js';

/**
 * @param pictures the parts of one message
 * @param index the part to show first
 */
export function openPicture(pictures, index) {
  const image = element('img', { class: 'full-picture' });
  const place = element('p', { class: 'hint', attributes: { role: 'status' } });
  const save = element('a', { class: 'icon-button small', title: S.download, attributes: { 'aria-label': S.download } }, icon('download'));
  const previous = iconButton('back', S.previousPicture);
  const next = iconButton('forward', S.nextPicture);
  const { dialog } = openDialog('', element('div', { class: 'full-place' }, image), element('div', { class: 'full-steps' }, previous, place, next));
  dialog.classList.add('viewer');
  const heading = dialog.querySelector('h2');
  heading.after(save);
  let at = index;

  function show() {
    const { url, name, width, height } = pictures[at];
    // The previous picture must not appear under the new name.
    image.removeAttribute('src');
    if (width && height) Object.assign(image, { width, height });
    Object.assign(image, { src: url, alt: name ?? S.photo });
    Object.assign(save, { href: url, download: name ?? '' });
    setText(heading, name ?? S.photo);
    setText(place, pictures.length > 1 ? S.pictureOf(at + 1, pictures.length) : '');
    const focused = document.activeElement;
    previous.disabled = at === 0;
    next.disabled = at === pictures.length - 1;
    // A disabled button loses the focus, and key presses would have no target.
    if (focused?.disabled) heading.focus();
  }

  function step(count) {
    if (!pictures[at + count]) return;
    at += count;
    show();
  }

  previous.addEventListener('click', () => step(-1));
  next.addEventListener('click', () => step(1));
  dialog.addEventListener('keydown', ({ key }) => step({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0));
  previous.hidden = pictures.length === 1;
  next.hidden = previous.hidden;
  show();
}
