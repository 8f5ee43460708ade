// A safe subset of Markdown as values. This module neither creates nor accepts HTML: the view creates elements and text
// nodes.
//
// Blocks: `{type: 'code', text}`, `{type: 'quote', blocks}`, `{type: 'list', items}`, `{type: 'text', pieces}`. Pieces:
// `{text}` with any of `bold`, `italic`, `strike`, `code`, `href`, `mention`.

/** The maximum depth of nested quotes and nested marks. Deeper ones stay text. */
const DEPTH = 4;

export function blocks(text, depth = 0) {
  const result = [];
  const lines = text.split('\n');
  let at = 0;
  const collect = (isPart) => {
    const from = at;
    while (at < lines.length && isPart(lines[at])) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at];
    if (/^```/.test(line) && lines.slice(at + 1).some((each) => /^```\s*$/.test(each))) {
      at += 1;
      result.push({ type: 'code', text: collect((each) => !/^```\s*$/.test(each)).join('\n') });
      at += 1;
    } else if (/^> ?/.test(line) && depth < DEPTH) {
      const inner = collect((each) => each.startsWith('>')).map((each) => each.replace(/^> ?/, ''));
      result.push({ type: 'quote', blocks: blocks(inner.join('\n'), depth + 1) });
    } else if (/^[-*] \S/.test(line)) {
      result.push({ type: 'list', items: collect((each) => /^[-*] \S/.test(each)).map((each) => pieces(each.slice(2))) });
    } else {
      const plain = [lines[at]];
      at += 1;
      plain.push(...collect((each) => !/^(```|> ?|[-*] \S)/.test(each)));
      result.push({ type: 'text', pieces: pieces(plain.join('\n')) });
    }
  }
  return result;
}

/** The marks of emphasis, longer ones first. A mark has no space on its inner side. */
const MARKS = [
  [/\*\*(?=\S)([^\n]*?\S)\*\*(?!\*)/y, 'bold'],
  [/~~(?=\S)([^\n]*?\S)~~/y, 'strike'],
  [/\*(?=[^\s*])([^\n*]*?[^\s*])\*(?!\*)/y, 'italic'],
  [/_(?=[^\s_])([^\n_]*?[^\s_])_(?![\p{L}\p{N}_])/uy, 'italic'],
];
const CODE = /`([^`\n]+)`/y;
const LINK = /\[([^\]\n[]{1,200})\]\((https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/y;
const ADDRESS = /https?:\/\/[^\s<>"']+/y;
const MENTION = /@([\p{L}\p{N}_](?:[\p{L}\p{N}@.+_-]{0,148}[\p{L}\p{N}_])?)/uy;

/** Only `http:` and `https:` addresses become links. */
function safeAddress(text) {
  const href = URL.canParse(text) ? new URL(text) : null;
  return href && (href.protocol === 'http:' || href.protocol === 'https:') ? text : null;
}

/** Whether the text of a link shows the address of another host. */
function isMisleading(text, address) {
  const hostOf = (each) => each.toLowerCase().replace(/^https?:\/\//, '').replace(/^www\./, '');
  return [...text.matchAll(/(?:https?:\/\/|\bwww\.)[^\s/?#]*/gi)].some(([each]) => hostOf(each) !== hostOf(new URL(address).host));
}

export function pieces(text, style = {}, depth = 0) {
  const result = [];
  let plain = '';
  const add = (...more) => {
    if (plain) result.push({ text: plain, ...style });
    plain = '';
    result.push(...more);
  };
  let at = 0;
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const found = special(text, at, match, style, depth);
    if (found) {
      add(...found.pieces);
      at += found.length;
    } else {
      const character = String.fromCodePoint(text.codePointAt(at));
      plain += character;
      at += character.length;
    }
  }
  add();
  return result;
}

/** Parses the special text at an offset: `{pieces, length}`, or `null` for plain text. */
function special(text, at, match, style, depth) {
  const before = at === 0 ? '' : text[at - 1];
  const isWordBefore = /[\p{L}\p{N}_]/u.test(before);
  let found;
  switch (text[at]) {
    case '`':
      found = match(CODE);
      return found && { pieces: [{ text: found[1], ...style, code: true }], length: found[0].length };
    case '[':
      found = style.href ? null : match(LINK);
      return found && safeAddress(found[2]) && !isMisleading(found[1], found[2])
        ? { pieces: pieces(found[1], { ...style, href: found[2] }, DEPTH), length: found[0].length } : null;
    case 'h': {
      found = style.href || isWordBefore ? null : match(ADDRESS);
      // Punctuation after an address belongs to the sentence.
      const address = found?.[0].replace(/[.,:;!?)\]}*_~]+$/, '');
      return address && safeAddress(address)
        ? { pieces: [{ text: address, ...style, href: address }], length: address.length } : null;
    }
    case '@':
      found = isWordBefore || style.href ? null : match(MENTION);
      return found && { pieces: [{ text: found[0], ...style, mention: found[1] }], length: found[0].length };
    case '*': case '~': case '_':
      if (depth >= DEPTH || (text[at] === '_' && isWordBefore)) return null;
      for (const [pattern, name] of MARKS) {
        found = style[name] ? null : match(pattern);
        if (found) return { pieces: pieces(found[1], { ...style, [name]: true }, depth + 1), length: found[0].length };
      }
      return null;
    default:
      return null;
  }
}

/** A text without its marks, for one line. */
export function plain(text) {
  const words = (parts) => parts.map((piece) => piece.text).join('');
  return blocks(text).map((block) => {
    if (block.type === 'quote') return plain(block.blocks.map((each) => each.text ?? words(each.pieces ?? [])).join('\n'));
    if (block.type === 'list') return block.items.map(words).join(', ');
    return block.text ?? words(block.pieces);
  }).join(' ').replace(/\s+/g, ' ').trim();
}

/** Whether a text mentions a user. */
export const mentions = (text, username) =>
  blocks(text).some((block) => (block.pieces ?? block.items?.flat() ?? [])
    .some((piece) => piece.mention?.toLowerCase() === username.toLowerCase()));
