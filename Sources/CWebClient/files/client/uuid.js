// IDs that this client generates.

/** Node 18 has no global `crypto`. An ID must be unique for its user, not unpredictable. */
const randomBytes = (bytes) => globalThis.crypto?.getRandomValues(bytes) ?? bytes.map(() => Math.floor(Math.random() * 256));

/**
 * A UUIDv7 (RFC 9562): the time in milliseconds, then random bits. The time shows the server that the ID is new and
 * needs no lookup (docs/protocol/sockets.md, "Client ids").
 * @param random 16 random bytes; only the bits that are not time, version or variant are used
 */
export function uuidV7(now = Date.now(), random = randomBytes(new Uint8Array(16))) {
  const bytes = new Uint8Array(random);
  // The 48 bits of the time exceed the range of the 32-bit integer operators.
  for (let index = 5, rest = now; index >= 0; index -= 1, rest = Math.floor(rest / 256)) bytes[index] = rest % 256;
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
