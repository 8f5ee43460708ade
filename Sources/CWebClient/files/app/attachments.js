// Files of messages as values: names, types, limits and sizes. No DOM here.
import { sizeText } from '../shared/format.js';
import { BINARY } from '../client/uploads.js';
import { S } from '../shared/strings.js';

export { BINARY };

/** Maximum number of parts of a message (PROTOCOL, "Limits"). */
export const MAX_FILES = 10;
/** Maximum size of a picture in a message, in pixels of the page. */
const PICTURE = { width: 320, height: 320 };
/** The space reserved for a picture or video of unknown size. */
const UNKNOWN = { width: 288, height: 216 };
/** The minimum size of a picture, which keeps it easy to select. */
const MIN_SIZE = 48;
const MAX_NAME_BYTES = 255;

/** Whether a path leads to an attachment on the server. */
export const isAttachmentPath = (path) => /^\/v1\/attachments\/[\w.-]{1,90}$/.test(path ?? '');

/** The types that the server shows inside a page; all others are downloads. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const VIDEOS = new Set(['video/mp4', 'video/webm', 'video/ogg', 'video/quicktime']);
const SOUNDS = new Set(['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/webm', 'audio/wav', 'audio/flac', 'audio/aac']);

/** The kind of presentation for a type: `picture`, `video`, `sound` or `file`. */
export function kindOf(type) {
  if (PICTURES.has(type)) return 'picture';
  if (VIDEOS.has(type)) return 'video';
  return SOUNDS.has(type) ? 'sound' : 'file';
}

/** The name as the server accepts it: 1 to 255 bytes without slashes and control characters, including the suffix. */
export function fileName(name) {
  const plain = name.replace(/[/\\\p{Cc}\p{Surrogate}]/gu, '_').trim() || S.file;
  const bytes = (text) => new TextEncoder().encode(text).length;
  const suffix = plain.match(/\.[^.]{1,16}$/)?.[0] ?? '';
  let stem = [...plain.slice(0, plain.length - suffix.length)];
  while (bytes(stem.join('') + suffix) > MAX_NAME_BYTES) stem = stem.slice(0, -1);
  return stem.join('') + suffix;
}

/** The type as the server accepts it. Text types have a separate name there. */
export function fileType(type) {
  const plain = type.split(';')[0].trim().toLowerCase();
  const isOther = plain === 'text/plain' || plain === 'application/geo+json' || !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(plain);
  return isOther ? BINARY : plain;
}

/** Whether the server's patterns, such as `image/*`, allow a type. */
export const isAllowed = (type, patterns) =>
  patterns.some((pattern) => pattern === '*/*' || pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))));

/**
 * The reason that a file cannot be sent, as text; `null` if no reason is known.
 * @param limits the server's limits, `undefined` if they are unknown, `null` if it does not accept files
 */
export function problemOf({ name, type, size }, limits) {
  if (size === 0) return S.fileEmpty(name);
  if (limits === undefined) return null;
  if (limits === null) return S.filesOff;
  if (size > limits.max_bytes) return S.fileTooLarge(name, sizeText(size), sizeText(limits.max_bytes));
  return isAllowed(type, limits.types) ? null : S.fileTypeRefused(name);
}

/** The text for a file that could not be uploaded. @param failure `{status, file}`; without a status its bytes are lost */
export function refusalOf({ status, file }, message, limits) {
  if (status === undefined) return S.fileLost(file.name);
  if (status === 404) return S.filesOff;
  if (status === 413) return problemOf(file, limits) ?? S.noRoom;
  return status === 400 ? S.fileTypeRefused(file.name) : message;
}

/** The largest size with the same aspect ratio that fits into `most`, without enlarging. */
export function fitted(width, height, most) {
  const scale = Math.min(1, most.width / width, most.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** The display size of a picture or a video, which is known before it is loaded. */
export function shownSize({ width, height }) {
  if (![width, height].every((side) => Number.isFinite(side) && side > 0)) return UNKNOWN;
  const size = fitted(width, height, PICTURE);
  return { width: Math.max(MIN_SIZE, size.width), height: Math.max(MIN_SIZE, size.height) };
}

/** A name for display, without marks that reverse the order of letters and could hide its suffix. */
export const shownName = (name) => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** The label of a part in previews and for screen readers. */
export function partLabel({ type, name }) {
  if (type === 'application/geo+json') return S.locationName;
  const label = { picture: S.photo, video: S.video, sound: S.sound, file: S.file }[kindOf(type ?? '')];
  return name ? S.named(label, shownName(name)) : label;
}

/**
 * Whether a picture is animated, according to the first bytes of the file. Encoding it again would stop the animation.
 */
export function isAnimated(bytes) {
  const text = String.fromCharCode(...bytes.slice(0, 4096));
  if (text.startsWith('GIF8')) return true;
  if (text.startsWith('RIFF') && text.slice(8, 16) === 'WEBPVP8X') return (bytes[20] & 2) !== 0;
  // The brands of the first box identify a sequence of pictures.
  if (text.slice(4, 8) === 'ftyp') return /^(?:.{4})*?avis/s.test(text.slice(8, bytes[2] * 256 + bytes[3]));
  return text.startsWith('\u0089PNG') && text.includes('acTL');
}
