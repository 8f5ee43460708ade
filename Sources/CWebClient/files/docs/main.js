// The page /docs: the REST description and the documents of the protocol, each rendered from a file on the server.

import { fromOpenAPI } from './api.js';
import { fromMarkdown } from './markdown.js';
import { find, sections } from './search.js';
import { byID, element, setNote } from '../shared/dom.js';

const documents = {
  rest: { title: 'REST reference', source: '/openapi.json', read: async (reply) => fromOpenAPI(await reply.json()) },
  examples: { title: 'Examples', source: '/examples.md', read: readMarkdown },
  protocol: { title: 'Protocol', source: '/protocol.md', read: readMarkdown },
  sockets: { title: 'Sockets', source: '/protocol-sockets.md', read: readMarkdown },
  calls: { title: 'REST', source: '/protocol-rest.md', read: readMarkdown },
  admin: { title: 'Admin', source: '/protocol-admin.md', read: readMarkdown },
};

/** The documents by the names of their files, which link to each other. */
const FILES = { PROTOCOL: 'protocol', examples: 'examples', sockets: 'sockets', rest: 'calls', admin: 'admin' };

/** The tree of a Markdown document. A link to another document of this page begins with `#/` and its name. */
async function readMarkdown(reply) {
  const text = await reply.text();
  return fromMarkdown(text.replaceAll(/\]\((?:[\w./]*\/)?(PROTOCOL|examples|sockets|rest|admin)\.md(?:#([\w-]+))?\)/g,
    (_, file, part) => `](#/${FILES[file]}${part ? `/${part}` : ''})`));
}

/** The element of a tree. IDs begin with the document's name, because all documents are on one page. */
function build(node, name) {
  if (typeof node === 'string') return node;
  const [tag, { id, href, ...attributes }, ...children] = node;
  const result = element(tag, attributes, ...children.map((child) => build(child, name)));
  if (id) result.id = `${name}/${id}`;
  // Code that is wider than the page scrolls, by keys too.
  if (tag === 'pre') result.tabIndex = 0;
  if (href) result.href = href.replace(/^#\/?/, (start) => (start === '#' ? `#${name}/` : '#'));
  return result;
}

/** Headings and operations as nested lists. */
function contents(name) {
  const parts = byID(name).querySelectorAll('h1, h2, h3, .operation');
  const list = element('ul');
  let inner = null;
  for (const part of parts) {
    const id = part.id || part.parentElement.id;
    if (!id) continue;
    const isTop = ['H1', 'H2'].includes(part.tagName);
    const label = part.querySelector('h3')?.textContent ?? part.textContent;
    const item = element('li', {}, element('a', { href: `#${id}`, class: isTop ? 'top' : '' }, label));
    if (isTop || !inner) {
      inner = element('ul');
      item.append(inner);
      list.append(item);
    } else {
      inner.append(item);
    }
  }
  return list;
}

/** Shows the document and the section in the URL. */
function show() {
  const place = decodeURIComponent(location.hash.slice(1));
  const name = place.split('/')[0] in documents ? place.split('/')[0] : 'rest';
  for (const each of Object.keys(documents)) {
    byID(each).hidden = each !== name;
    if (each === name) byID(`tab-${each}`).setAttribute('aria-current', 'page');
    else byID(`tab-${each}`).removeAttribute('aria-current');
  }
  byID('raw').href = documents[name].source;
  byID('raw').textContent = documents[name].source.slice(1);
  document.title = `${documents[name].title} – Parley API`;
  byID('contents').replaceChildren(contents(name));
  const target = document.getElementById(place);
  if (target && place.includes('/')) target.scrollIntoView();
  else scrollTo(0, 0);
}

/** Shows a document, and returns its sections for the search. */
async function load(name) {
  const { source, read, title } = documents[name];
  const reply = await fetch(source);
  if (!reply.ok) throw new Error(`${source}: status ${reply.status}`);
  const tree = await read(reply);
  byID(name).replaceChildren(...tree.map((node) => build(node, name)));
  return sections(tree).map((section) => ({ ...section, id: `${name}/${section.id}`, document: title }));
}

/** Shows what the search finds; nothing is asked from the server. */
function search(all) {
  const query = byID('query').value;
  const { results, count } = find(all, query);
  byID('results').hidden = !query.trim();
  const more = count > results.length ? `, the first ${results.length} of them here` : '';
  byID('count').textContent = `${count || 'No'} section${count === 1 ? '' : 's'}${more}`;
  byID('hits').replaceChildren(...results.map(({ section, excerpt }) => element('li', {},
    element('a', { href: `#${section.id}` }, element('span', { class: 'where' }, section.document), ` ${section.title}`),
    element('p', {}, excerpt))));
}

/** The field and its list: `/` goes there, Enter to the first result, Escape back to the document. */
function listenToSearch(all) {
  const [field, results] = [byID('query'), byID('results')];
  const close = () => {
    field.value = '';
    search(all);
  };
  field.addEventListener('input', () => search(all));
  byID('search').addEventListener('submit', (event) => {
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  results.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (!link) return;
    close();
    // A result in the section that is shown changes no hash.
    if (link.hash === location.hash) show();
  });
  addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape' && !results.hidden) {
      close();
      field.focus();
    }
  });
}

try {
  const all = (await Promise.all(Object.keys(documents).map(load))).flat();
  listenToSearch(all);
  show();
  addEventListener('hashchange', show);
  document.body.dataset.ready = 'true';
} catch (error) {
  setNote(byID('error'), `The documents could not be loaded: ${error.message}`);
}
