// Ids of this client's own making.

/**
 * A UUIDv7 (RFC 9562): the time in milliseconds, then random bits. The server sees by the time that the id is new and
 * does not have to look it up (PROTOCOL, "Client ids").
 * @param random 16 random bytes; only the bits that are neither time, version nor variant are used
 */
export function uuidV7(now = Date.now(), random = crypto.getRandomValues(new Uint8Array(16))) {
  const bytes = new Uint8Array(random);
  // 48 bits: more than the operators on 32-bit integers take.
  for (let index = 5, rest = now; index >= 0; index -= 1, rest = Math.floor(rest / 256)) bytes[index] = rest % 256;
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
