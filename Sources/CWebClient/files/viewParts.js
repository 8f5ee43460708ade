// The parts of a message besides its text: places, files, more text.
import { element, icon } from './dom.js';
import { S } from './strings.js';

export function partElement(part) {
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

function file({ type, url, name, size }) {
  const href = URL.canParse(url, location.href) ? new URL(url, location.href) : null;
  if (!href || !/^https?:$/.test(href.protocol)) return null;
  // The policy of the page lets pictures come from this server only, so that no other learns who reads.
  if (type.startsWith('image/') && href.origin === location.origin) {
    return element('a', { class: 'part', href: href.href, target: '_blank', rel: 'noopener noreferrer' },
      element('img', { class: 'picture', src: href.href, alt: name ?? S.file, loading: 'lazy' }));
  }
  const kilobytes = size ? S.kilobytes(Math.ceil(size / 1024)) : '';
  return element('a', { class: 'part card-part', href: href.href, target: '_blank', rel: 'noopener noreferrer' },
    element('span', {}, element('strong', {}, name ?? S.file), ` ${kilobytes}`));
}
