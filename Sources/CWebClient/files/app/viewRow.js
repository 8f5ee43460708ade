// One row of a conversation as an element.
import { kindOf, partLabel, refusalOf } from './attachments.js';
import { explain } from '../shared/errors.js';
import { avatar, element, setAttribute, setText, showAvatar } from '../shared/dom.js';
import { clock, hue, longTime } from '../shared/format.js';
import { plain } from './markdown.js';
import { S } from '../shared/strings.js';
import { indexOf } from '../client/timeline.js';
import { partElements, pendingParts } from './viewParts.js';
import { appendText } from './viewText.js';
import { visible } from '../shared/visible.js';

/** @param context `{chat, count}`: the state, and the number of all rows */
export function createRow(row, { chat }) {
  const data = { kind: row.kind };
  // The row has no role: a feed contains articles and text.
  const line = (kind, text) => element('div', { class: kind, data }, element('span', {}, text));
  if (row.kind === 'day') return line('day', row.label);
  if (row.kind === 'new') return line('new', S.newMessages);
  if (row.kind === 'notice') return line('notice-row', '');
  const node = element('article', { class: row.isOwn ? 'message own' : 'message', data, tabIndex: -1 });
  if (!row.isOwn) node.append(avatar(row.message.sender_id ?? '', row.message.sender_name ?? ''));
  node.append(element('div', { class: 'bubble' }), element('div', { class: 'under' }));
  return node;
}

export function updateRow(node, row, { chat, count }) {
  if (row.kind === 'day') setText(node.firstElementChild, row.label);
  // The names may become known later.
  if (row.kind === 'notice') setText(node.firstElementChild, notice(row.event, chat));
  if (row.kind !== 'message' && row.kind !== 'pending') return;
  node.classList.toggle('first', row.isFirst);
  setAttribute(node, 'aria-setsize', count);
  if (row.isFirst && !row.isOwn) showSender(node, row.message, chat);
  const state = stateOf(row, chat);
  if (row.kind === 'pending') updateProgress(node, row.entry, chat);
  if (node.dataset.state === state) return;
  node.dataset.state = state;
  node.querySelector('.bubble').replaceChildren(...bubble(row, chat));
  node.querySelector('.under').replaceChildren(...reactions(row, chat));
  setAttribute(node, 'aria-label', labelOf(row, chat));
  if (row.kind !== 'pending') return;
  node.dataset.status = row.entry.state;
  updateProgress(node, row.entry, chat);
}

function showSender(node, { sender_id: id = '', sender_name: name = '' }, chat) {
  showAvatar(node.querySelector('.avatar'), id, chat.nameFor(id, name), chat.profiles.get(id));
}

/** Updates progress separately, because it changes often and the rest of the row must not flicker. */
function updateProgress(node, { id }, chat) {
  const bar = node.querySelector('progress');
  const { sent, total } = chat.client.progress(id) ?? { sent: 0, total: 1 };
  if (!bar) return;
  bar.value = sent / total;
  setText(bar.nextElementSibling, S.percent(Math.floor((100 * sent) / total)));
}

/** The displayed state of a row. If it has not changed, the row is not updated. */
function stateOf({ kind, message, entry }, chat) {
  if (kind === 'pending') {
    const { previews } = chat;
    return JSON.stringify([entry.state, entry.text, entry.error, entry.files?.map(({ type }, index) => [type, kindOf(type) === 'picture' && previews.get(entry.id, index)])]);
  }
  if (chat.isFolded(message)) return 'folded';
  const { text, edited_ms: edited, deleted, erased, reactions: all, reply_to: quoted } = message;
  const quote = quoted ? quotedRow(quoted, chat) : null;
  const marks = all?.map(({ emoji, count, users }) => [emoji, count, users.includes(chat.me.id)]);
  const names = [message, quote].map((each) => each && chat.nameFor(each.sender_id, each.sender_name));
  return JSON.stringify([text, edited, deleted, erased, marks, quote?.text, names]);
}

const senderOf = (row, chat) => (row.isOwn ? S.you : chat.nameFor(row.message.sender_id, row.message.sender_name));

function textOf({ message, entry }) {
  if (message?.deleted) return S.deleted;
  if (message?.erased) return S.erased;
  const { text, parts = [], files = [] } = message ?? entry;
  return [plain(text ?? ''), ...[...parts, ...files].filter((part) => part.type !== 'text/plain').map(partLabel)].filter(Boolean).join(', ');
}

function labelOf(row, chat) {
  const edited = row.message?.edited_ms && !row.message.deleted ? ` ${S.edited}` : '';
  if (row.message && chat.isFolded(row.message)) return S.rowLabel(senderOf(row, chat), clock(row.ms), S.folded);
  const marks = (row.message?.reactions ?? []).map(({ emoji, count }) => `, ${S.emojiCount(emoji, count)}`).join('');
  return `${S.rowLabel(senderOf(row, chat), clock(row.ms), textOf(row))}${edited}${marks}`;
}

/** A message of a blocked user, as one line that opens it. */
const foldedBubble = () => [
  element('div', { class: 'text gone', dir: 'auto' }, S.folded, ' ',
    element('button', { class: 'link', type: 'button', data: { action: 'unfold' } }, S.unfold)),
];

function bubble(row, chat) {
  if (row.message && chat.isFolded(row.message)) return foldedBubble();
  const content = row.message ?? row.entry;
  const quoted = content.reply_to ?? content.replyTo;
  const isGone = content.deleted || content.erased;
  const result = [];
  if (row.isOwn) result.push(element('span', { class: 'hidden' }, S.youWrote));
  else result.push(element('span', { class: 'sender', data: { hue: hue(content.sender_id ?? '') } }, chat.nameFor(content.sender_id, content.sender_name)));
  // What this user does not see has no quote, and no way to it.
  if (quoted && !isGone && quoted >= (chat.openThread?.visible_from ?? 0)) result.push(quote(quoted, chat));
  const text = element('div', { class: isGone ? 'text gone' : 'text', dir: 'auto' });
  if (isGone) text.append(textOf(row));
  else if (content.text) appendText(text, content.text, chat.me.username);
  if (isGone || content.text) result.push(text);
  if (!isGone) result.push(...partElements(content.parts ?? []), ...pendingParts(content, chat.previews));
  result.push(element('span', { class: 'meta' }, ...meta(row, chat)));
  return result;
}

function meta({ kind, message, entry, ms }, chat) {
  if (kind === 'message') {
    const date = new Date(ms);
    const time = element('time', { dateTime: date.toISOString(), title: longTime(ms) }, clock(ms));
    return message.edited_ms && !message.deleted && !message.erased ? [element('span', { class: 'edited' }, S.edited), time] : [time];
  }
  const button = (action, label) => element('button', { class: 'link', type: 'button', data: { action } }, label);
  if (entry.state === 'uploading') {
    return [element('progress', { max: 1, attributes: { 'aria-label': S.uploading } }), element('span', { attributes: { 'aria-hidden': 'true' } }),
      ' · ', button('discard', S.cancel)];
  }
  if (entry.state === 'waiting' && entry.files) return [S.waiting, ' · ', button('discard', S.cancel)];
  if (entry.state !== 'failed') return [entry.state === 'waiting' ? S.waiting : S.sending];
  const { code, error, failure } = entry;
  const reason = failure ? refusalOf(failure, error, chat.limits) : explain({ code, message: error });
  return [element('span', {}, `${S.notDelivered}${reason ? `: ${reason}` : ''}`), ' · ',
    button('retry', S.tryAgain), ' · ', button('discard', S.discard)];
}

function quotedRow(seq, chat) {
  const row = chat.timeline.rows[indexOf(chat.timeline, seq)];
  return row?.seq === seq && row.type === 'message' ? row : null;
}

function quote(seq, chat) {
  const row = quotedRow(seq, chat);
  const text = row && chat.isFolded(row) ? S.folded : row ? textOf({ message: row }).slice(0, 160) : S.quoteGone;
  const name = row ? (row.sender_id === chat.me.id ? S.you : chat.nameFor(row.sender_id, row.sender_name)) : '';
  return element('button', { class: 'quote', type: 'button', title: S.jumpToQuote, data: { action: 'quote', seq } },
    element('strong', {}, name), element('span', {}, text));
}

function reactions({ message }, chat) {
  if (message && chat.isFolded(message)) return [];
  return (message?.reactions ?? []).map(({ emoji, count, users }) => {
    const isMine = users.includes(chat.me.id);
    return element('button', {
      class: 'reaction', type: 'button', data: { action: 'toggle', emoji },
      attributes: { 'aria-pressed': isMine, 'aria-label': S.reactionLabel(emoji, count, isMine) },
    }, element('span', {}, emoji), element('span', {}, `${count}`));
  });
}

/** The text of a row other than a message. */
function notice(event, chat) {
  // `null` stands for the reader, since sentences about them have another form.
  const name = (id, known) => (id === chat.me.id ? null : chat.nameFor(id, known));
  const user = name(event.user_id, event.username);
  const by = name(event.by_id);
  const isBySelf = event.by_id === undefined || event.by_id === event.user_id;
  switch (event.type) {
    case 'joined': return isBySelf ? S.joined(user) : S.added(by, user);
    case 'left': return isBySelf ? S.left(user) : S.removed(by, user);
    case 'renamed': return S.renamed(visible(event.title));
    case 'visibility': return S.visibilityChanged(event.visibility);
    default: return S.roleChanged(user, event.role);
  }
}
