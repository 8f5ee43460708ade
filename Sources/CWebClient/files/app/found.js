// The matches of a search in a text, as values.

/** The number of characters before the first match, and of all that are shown. */
const BEFORE = 60;
const SHOWN = 240;

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The part of a text around its first match, in pieces `{piece, isMatch}`. A word matches if it begins with a search
 * term, or if it is one of a single character, as on the server.
 */
export function excerpt(text, wanted) {
  const terms = [...new Set(wanted.toLowerCase().match(WORD) ?? [])];
  const lengthOf = (word) => {
    const lower = word.toLowerCase();
    return Math.max(0, ...terms.filter((term) => (term.length > 1 ? lower.startsWith(term) : lower === term)).map((term) => term.length));
  };
  const first = [...text.matchAll(WORD)].find(([word]) => lengthOf(word) > 0)?.index ?? 0;
  const from = Math.max(0, first - BEFORE);
  const pieces = text.slice(from, from + SHOWN).split(/([\p{L}\p{N}]+)/u).flatMap((piece) => {
    const length = lengthOf(piece);
    return [{ piece: piece.slice(0, length), isMatch: true }, { piece: piece.slice(length), isMatch: false }];
  });
  return [{ piece: from > 0 ? '…' : '', isMatch: false }, ...pieces].filter(({ piece }) => piece !== '');
}
