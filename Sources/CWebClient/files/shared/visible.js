// Names and titles for display. The server refuses new names with invisible characters, but accepts the names of other
// systems unchanged. Characters that are invisible or reverse the surrounding text are shown as a mark such as
// `‹U+202E›`.

const PLAIN = /^[\x20-\x7e]*$/;
const HIDDEN = /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u{1d159}\p{Noncharacter_Code_Point}]/u;
// Prefixes of numbers and marks are visible.
const DRAWN = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
const DIRECTION = /\p{Bidi_Control}/u;
const PICTURE = /(?![\x00-\xff])\p{Emoji}|\p{Emoji_Modifier}|\ufe0f/u;
const MONGOLIAN = /[\u1807-\u180a\u1810-\u18aa]/u;
const CURSIVE = /[\u0620-\u06ef\u06fa-\u08ff\u1807-\u180a\u1810-\u18aa\ua840-\ua877]/u;
const BRAHMIC_MARK = /(?=[\u0900-\u1cff\ua800-\uabff\u{11000}-\u{11fff}])\p{M}/u;
const BRAHMIC = /[\u0900-\u1cff\ua800-\uabff\u{11000}-\u{11fff}]/u;
const VARIABLE = /[\p{Ideographic}\u1000-\u109f\ua840-\ua877\u2200-\u22ff\u2a00-\u2aff\uff00-\uffef\u3001\u3002]/u;

/** Whether emoji or scripts require an invisible character between its neighbors. */
function isNeeded(all, index) {
  const [before, own, after] = [all[index - 1] ?? '', all[index], all[index + 1] ?? ''];
  const code = own.codePointAt(0);
  if (DRAWN.test(own)) return true;
  if (code === 0x200c || code === 0x200d) {
    if (BRAHMIC_MARK.test(before) || (BRAHMIC.test(before) && BRAHMIC_MARK.test(after))) return true;
    if (CURSIVE.test(before) && CURSIVE.test(after)) return true;
    return code === 0x200d && PICTURE.test(before) && PICTURE.test(after) && after !== '\ufe0f';
  }
  // Digits, `#` and `*` are emoji only as keycaps.
  if (code === 0xfe0e || code === 0xfe0f) return /\p{Emoji}/u.test(before) && (before > '\x7f' || after === '\u20e3');
  if (code >= 0x180b && code <= 0x180f && code !== 0x180e) return MONGOLIAN.test(before);
  if ((code >= 0xfe00 && code < 0xfe0e) || (code >= 0xe0100 && code <= 0xe01ef)) return VARIABLE.test(before) || MONGOLIAN.test(before);
  // The flag of a region: a black flag, tags, and the final tag.
  if (code < 0xe0020 || code > 0xe007f) return false;
  const rest = all.join('').matchAll(/\u{1f3f4}[\u{e0020}-\u{e007e}]{1,6}\u{e007f}/gu);
  const place = all.slice(0, index).join('').length;
  return [...rest].some((flag) => flag.index < place && place < flag.index + flag[0].length);
}

/** @returns the text of a name or a title without invisible characters */
export function visible(text) {
  if (!text || PLAIN.test(text)) return text;
  const all = [...text];
  return all.map((each, index) => {
    if (!HIDDEN.test(each) || (!DIRECTION.test(each) && each !== '\u2800' && isNeeded(all, index))) return each;
    return `‹U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}›`;
  }).join('');
}
