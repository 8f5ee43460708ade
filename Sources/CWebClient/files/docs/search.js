// A search in the documents of the page, over the trees that they are shown from.

/** The number of characters of a text that a result shows. */
const EXCERPT = 140;

/**
 * The sections of a document: a heading or an operation, with everything up to the next one.
 * @param tree the blocks of a document, see markdown.js
 * @returns `[{ id, title, text }]`; a text before the first heading is in no section
 */
export function sections(tree) {
  const found = [];
  for (const node of tree) {
    const id = typeof node === 'string' ? null : node[1].id;
    if (id && node[1].class === 'operation') {
      const [header, ...rest] = node.slice(2);
      found.push({ id, title: textOf(header[2]), text: join([header.slice(3), rest].flat()) });
    } else if (id && /^h\d$/.test(node[0])) {
      found.push({ id, title: textOf(node), text: '' });
    } else if (found.length) {
      const last = found[found.length - 1];
      last.text = `${last.text} ${textOf(node)}`.trim();
    }
  }
  return found;
}

/**
 * Returns the sections that contain every word of a query, anywhere within words and in any case. Sections with all words in
 * their titles come first, then sections with some of them there; otherwise they are in the order of the documents.
 */
export function find(all, query, limit = 20) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return { results: [], count: 0 };
  const ranks = [[], [], []];
  for (const section of all) {
    const title = section.title.toLowerCase();
    const text = section.text.toLowerCase();
    if (!words.every((word) => title.includes(word) || text.includes(word))) continue;
    const inTitle = words.filter((word) => title.includes(word)).length;
    ranks[inTitle === words.length ? 0 : inTitle ? 1 : 2].push(section);
  }
  const found = ranks.flat();
  const results = found.slice(0, limit).map((section) => ({ section, excerpt: excerpt(section.text, words) }));
  return { results, count: found.length };
}

/** A part of the text with its first word of the query, or the beginning of the text. */
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - EXCERPT / 3);
  const from = places.length && start > 0 ? text.indexOf(' ', start) + 1 : 0;
  const part = text.slice(from, from + EXCERPT);
  return `${from ? '… ' : ''}${part}${from + EXCERPT < text.length ? ' …' : ''}`;
}

/** The text of a tree, with a space between blocks and cells. */
function textOf(node) {
  if (typeof node === 'string') return node;
  const children = node.slice(2);
  return /^(h\d|p|li|pre|td|th|span|a|code|strong)$/.test(node[0])
    ? children.map(textOf).join('').replaceAll(/\s+/g, ' ') : join(children);
}

function join(nodes) {
  return nodes.map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}
