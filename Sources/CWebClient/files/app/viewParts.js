// The parts of a message other than its text: pictures, videos, sounds, locations, other files, more text.
import { isAttachmentPath, kindOf, shownName, shownSize } from './attachments.js';
import { element, icon } from '../shared/dom.js';
import { sizeText } from '../shared/format.js';
import { S } from '../shared/strings.js';

/** The elements of all parts. Several pictures are shown as tiles. */
export function partElements(parts) {
  const pictures = parts.filter((part) => part.url && isPicture(part));
  const tiles = pictures.length > 1
    ? [element('div', { class: 'tiles' }, ...pictures.map((part, index) => pictureButton(part, index, true)))]
    : pictures.map((part) => pictureButton(part, 0, false));
  return [...tiles, ...parts.filter((part) => !pictures.includes(part)).map(partElement).filter(Boolean)];
}

/** The parts that `viewPicture` shows, in their order. */
export const picturesOf = (parts) => (parts ?? []).filter((part) => part.url && isPicture(part));

function partElement(part) {
  if (part.type === 'text/plain' && typeof part.content === 'string') return element('p', { class: 'part', dir: 'auto' }, part.content);
  if (part.type === 'application/geo+json') return place(part.content);
  return typeof part.url === 'string' ? file(part) : null;
}

/** A GeoJSON point: longitude, then latitude. */
function pointOf(content) {
  const [longitude, latitude] = content?.type === 'Point' && Array.isArray(content.coordinates) ? content.coordinates : [];
  const isValid = Number.isFinite(longitude) && Number.isFinite(latitude) && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isValid ? { longitude, latitude } : null;
}

function place(content) {
  const point = pointOf(content);
  if (!point) return null;
  const [latitude, longitude] = [point.latitude, point.longitude].map((each) => each.toFixed(5));
  const href = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`;
  return element('a', { class: 'part card-part', href, target: '_blank', rel: 'noopener noreferrer', title: S.openMap },
    icon('pin'), element('span', {}, element('strong', {}, S.locationName), ` ${latitude}, ${longitude}`));
}

const addressOf = ({ url }) => {
  const href = URL.canParse(url, location.href) ? new URL(url, location.href) : null;
  return href && /^https?:$/.test(href.protocol) ? href : null;
};

/**
 * Whether a file is an attachment of this server. Only attachments are loaded automatically: other servers must not
 * learn who reads, and no other URL of this server may be requested with the reader's credentials, such as the
 * logout.
 */
const isOwn = (part) => isAttachment(addressOf(part));
const isAttachment = (address) => address?.origin === location.origin && isAttachmentPath(address.pathname) && !address.search;
const isPicture = (part) => kindOf(part.type ?? '') === 'picture' && isOwn(part);

// MARK: Pictures

function pictureButton(part, index, isTile) {
  return element('button', {
    class: isTile ? 'picture-button tile' : 'picture-button', type: 'button', data: { action: 'view', index },
    attributes: { 'aria-label': S.showPicture(part.name ?? S.photo) },
  }, picture(addressOf(part).href, part, isTile));
}

/** A picture with reserved space, so that the layout does not move when it is loaded. */
function picture(src, part, isTile) {
  const { width, height } = shownSize(part);
  const image = element('img', { class: 'picture', alt: '', decoding: 'async', draggable: false, ...(!isTile && { width, height }) });
  image.addEventListener('error', () => image.classList.add('broken'));
  image.addEventListener('load', () => image.classList.remove('broken'));
  image.src = src;
  return image;
}

/** Requests pictures that could not be loaded again, after the connection was restored. */
export function reloadPictures(root) {
  for (const image of root.querySelectorAll('.picture.broken')) {
    const { src } = image;
    image.src = '';
    image.src = src;
  }
}

// MARK: Other files

function file(part) {
  const href = addressOf(part);
  if (!href) return null;
  const kind = isOwn(part) ? kindOf(part.type) : 'file';
  const card = fileLink(href, part);
  if (kind === 'video') {
    const { width, height } = shownSize(part);
    const video = element('video', { class: 'video', controls: true, preload: 'metadata', playsInline: true, src: href.href, width, height });
    video.setAttribute('aria-label', S.named(S.video, part.name ?? ''));
    return element('div', { class: 'part media' }, video, card);
  }
  if (kind !== 'sound') return card;
  const sound = element('audio', { class: 'sound', controls: true, preload: 'none', src: href.href });
  sound.setAttribute('aria-label', S.named(S.sound, part.name ?? ''));
  return element('div', { class: 'part media' }, sound, card);
}

function fileLink(href, { name, size }) {
  const isHere = isAttachment(href);
  return element('a', {
    class: 'part card-part', href: href.href, ...(isHere ? { download: name ?? '' } : { target: '_blank', rel: 'noopener noreferrer' }),
  }, icon('file'), fileText(name, size));
}

const fileText = (name, size) =>
  element('span', { class: 'file-text' }, element('strong', {}, name ? shownName(name) : S.file), element('span', { class: 'file-size' }, size ? sizeText(size) : ''));

// MARK: Files that are not sent yet

/** The files of an entry of the outbox. @param previews the URLs of its pictures */
export function pendingParts({ id, files = [] }, previews) {
  const pictures = files.map((part, index) => ({ part, index })).filter(({ part }) => kindOf(part.type) === 'picture');
  const shown = pictures.map(({ part, index }) => {
    const isTile = pictures.length > 1;
    const image = picture(previews.get(id, index) ?? '', part, isTile);
    image.alt = part.name;
    return isTile ? element('span', { class: 'picture-button tile' }, image) : image;
  });
  const others = files.filter((part) => kindOf(part.type) !== 'picture');
  return [
    ...(shown.length > 1 ? [element('div', { class: 'tiles' }, ...shown)] : shown),
    ...others.map(({ name, size }) => element('div', { class: 'part card-part' }, icon('file'), fileText(name, size))),
  ];
}
