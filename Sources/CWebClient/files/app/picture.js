// Preparation of pictures: they are scaled down and encoded again, which removes the metadata of the camera (EXIF:
// location, time, device).
import { fitted, isAnimated } from './attachments.js';

/** The longest side of a photo, and of a user's picture, in pixels. */
const PHOTO = 2_560;
const AVATAR = 512;
const QUALITY = 0.85;

/** The types to encode to. Pictures of other types are sent unchanged. */
const ENCODED = {
  'image/jpeg': 'image/jpeg', 'image/heic': 'image/jpeg', 'image/heif': 'image/jpeg', 'image/avif': 'image/jpeg',
  'image/png': 'image/png', 'image/webp': 'image/webp',
};
const SUFFIX = { 'image/jpeg': '.jpg', 'image/png': '.png', 'image/webp': '.webp' };

/** Whether `photo` changes files of this type. */
export const isPhoto = (type) => type in ENCODED;

/**
 * A prepared photo; `null` if the file must be sent unchanged, because it is animated or not a photo. Throws if this
 * browser cannot decode or encode it.
 */
export async function photo(file) {
  if (!isPhoto(file.type) || isAnimated(new Uint8Array(await file.slice(0, 4_096).arrayBuffer()))) return null;
  const bitmap = await createImageBitmap(file);
  const size = fitted(bitmap.width, bitmap.height, { width: PHOTO, height: PHOTO });
  const blob = await encoded(bitmap, { x: 0, y: 0, width: bitmap.width, height: bitmap.height }, size, ENCODED[file.type]);
  if (!blob) throw new Error('not encoded');
  return { blob, type: blob.type, name: file.name.replace(/\.[^.]*$/, '') + (SUFFIX[blob.type] ?? ''), ...size };
}

/** The center of a picture as a square JPEG; `null` if the file is not a picture. */
export async function square(file) {
  const bitmap = await decoded(file);
  if (!bitmap) return null;
  const side = Math.min(bitmap.width, bitmap.height);
  const from = { x: (bitmap.width - side) / 2, y: (bitmap.height - side) / 2, width: side, height: side };
  const length = Math.min(AVATAR, side);
  return encoded(bitmap, from, { width: length, height: length }, 'image/jpeg');
}

async function decoded(file) {
  try {
    return await createImageBitmap(file);
  } catch {
    // The file is not a picture, or its format is unknown to this browser.
    return null;
  }
}

async function encoded(bitmap, from, to, type) {
  const canvas = Object.assign(document.createElement('canvas'), to);
  const context = canvas.getContext('2d');
  if (type === 'image/jpeg') {
    // Transparent areas would otherwise become black.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, to.width, to.height);
  }
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, from.x, from.y, from.width, from.height, 0, 0, to.width, to.height);
  bitmap.close();
  return new Promise((resolve) => { canvas.toBlob(resolve, type, QUALITY); });
}
