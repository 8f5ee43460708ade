// A text as elements. Every piece is a text node, and user content is never parsed as HTML.
import { element } from '../shared/dom.js';
import { blocks } from './markdown.js';

/** Appends the blocks of `text` to `parent`. @param me the name of the user, whose mentions are highlighted */
export function appendText(parent, text, me) {
  parent.append(...blocks(text).map((block) => blockElement(block, me)));
}

function blockElement(block, me) {
  switch (block.type) {
    case 'code': return element('pre', {}, element('code', {}, block.text));
    case 'quote': return element('blockquote', {}, ...block.blocks.map((each) => blockElement(each, me)));
    case 'list': return element('ul', {}, ...block.items.map((item) => element('li', {}, ...item.map((piece) => pieceNode(piece, me)))));
    default: return element('p', {}, ...block.pieces.map((piece) => pieceNode(piece, me)));
  }
}

function pieceNode({ text, bold, italic, strike, code, href, mention }, me) {
  let node = text;
  const wrap = (tag, properties) => { node = element(tag, properties, node); };
  if (code) wrap('code');
  if (mention) wrap('span', { class: mention.toLowerCase() === me.toLowerCase() ? 'mention mine' : 'mention' });
  if (bold) wrap('strong');
  if (italic) wrap('em');
  if (strike) wrap('s');
  if (href) wrap('a', { href, target: '_blank', rel: 'noopener noreferrer' });
  return node;
}
