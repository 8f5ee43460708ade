// Markdown as a tree of elements: `[tag, attributes, ...children]`, where a child is a string or an element.
//
// Supports the elements of docs/PROTOCOL.md: headings, paragraphs, lists, tables, fenced code, and inline code,
// emphasis and links.

/** The tree of a document: its blocks in order. */
export function fromMarkdown(text) {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks = [];
  let next = 0;
  while (next < lines.length) {
    const line = lines[next];
    const heading = /^(#{1,4}) +(.*)$/.exec(line);
    if (line.trim() === '' || /^<!--.*-->$/.test(line)) {
      next += 1;
    } else if (heading) {
      blocks.push([`h${heading[1].length}`, { id: slug(heading[2]) }, ...inline(heading[2])]);
      next += 1;
    } else if (line.startsWith('```')) {
      const end = lines.indexOf('```', next + 1);
      const last = end < 0 ? lines.length : end;
      blocks.push(['pre', {}, ['code', {}, lines.slice(next + 1, last).join('\n')]]);
      next = last + 1;
    } else if (line.startsWith('|')) {
      const rows = takeWhile(lines, next, (each) => each.startsWith('|'));
      blocks.push(table(rows));
      next += rows.length;
    } else if (marker(line)) {
      const part = takeWhile(lines, next, (each) => marker(each) || each.startsWith('  '));
      blocks.push(list(part));
      next += part.length;
    } else {
      const part = takeWhile(lines, next, (each) => each.trim() !== '' && !/^(#{1,4} |```|\|)/.test(each) && !marker(each));
      blocks.push(['p', {}, ...inline(part.join(' '))]);
      next += part.length;
    }
  }
  return blocks;
}

/** Text with its inline marks, as children. */
export function inline(text) {
  const children = [];
  const pattern = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|\\([\\`*_|[\]])/g;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) children.push(text.slice(end, match.index));
    const [, code, strong, label, target, escaped] = match;
    if (code !== undefined) children.push(['code', {}, code]);
    else if (strong !== undefined) children.push(['strong', {}, ...inline(strong)]);
    else if (label !== undefined) children.push(...link(label, target));
    else children.push(escaped);
    end = match.index + match[0].length;
  }
  if (end < text.length) children.push(text.slice(end));
  return children;
}

/** The id of a heading, as GitHub makes it. */
export function slug(heading) {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-');
}

/**
 * A link within the document or to the web. Other files of the repository are not served, so only the label of a link
 * to one remains.
 */
function link(label, target) {
  return /^(#|https?:\/\/)/.test(target) ? [['a', { href: target }, ...inline(label)]] : inline(label);
}

function marker(line) {
  return /^(- |\d+\. )/.exec(line);
}

function list(lines) {
  const items = [];
  for (const line of lines) {
    const found = marker(line);
    if (found) items.push(line.slice(found[0].length));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return [/^\d/.test(lines[0]) ? 'ol' : 'ul', {}, ...items.map((item) => ['li', {}, ...inline(item)])];
}

function table(rows) {
  const [head, , ...body] = rows.map(cells);
  return ['div', { class: 'scroll' }, ['table', {},
    ['thead', {}, ['tr', {}, ...head.map((cell) => ['th', { scope: 'col' }, ...inline(cell)])]],
    ['tbody', {}, ...body.map((row) => ['tr', {}, ...row.map((cell) => ['td', {}, ...inline(cell)])])],
  ]];
}

/** The cells of a row. `\|` is not a border. */
function cells(row) {
  return row.trim().replace(/^\|/, '').replace(/\|$/, '').split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function takeWhile(lines, start, condition) {
  let end = start;
  while (end < lines.length && condition(lines[end])) end += 1;
  return lines.slice(start, end);
}
