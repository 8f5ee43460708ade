// The dialog for searching messages.
import * as api from './api.js';
import { debounced, labelled, openDialog } from './dialog.js';
import { explain } from '../shared/errors.js';
import { element, setText } from '../shared/dom.js';
import { excerpt } from './found.js';
import { shortTime } from '../shared/format.js';
import { S } from '../shared/strings.js';

/** A search while one writes begins with this number of characters: one alone is in nearly every message. */
const MIN_LENGTH = 2;

/** @param onChosen called with the thread ID and the `seq` of the message */
export function openSearch(chat, onChosen) {
  const field = element('input', { id: 'search-text', type: 'search', autocomplete: 'off', enterKeyHint: 'search' });
  const here = element('input', { type: 'checkbox', id: 'search-here' });
  const only = element('label', { class: 'check', htmlFor: 'search-here', hidden: !chat.openID }, here, S.searchHere);
  const status = element('p', { class: 'hint', attributes: { role: 'status' } });
  const list = element('ul', { class: 'choices' });
  const { close, note } = openDialog(S.search, labelled(S.search, field), only, status, list);
  let isAsked = false;
  const search = debounced(async (isNewest) => {
    const words = field.value.trim();
    note(null);
    if (words.length < (isAsked ? 1 : MIN_LENGTH)) {
      list.replaceChildren();
      setText(status, '');
      return;
    }
    try {
      const { results, has_more: hasMore } = await api.search(words, here.checked ? chat.openID : undefined);
      if (!isNewest()) return;
      setText(status, results.length === 0 ? S.noResults : `${S.results(results.length)}${hasMore ? `. ${S.moreResults}` : ''}`);
      list.replaceChildren(...results.map((message) => row(message)));
    } catch (error) {
      note(explain(error));
    }
  }, 250);

  function row(message) {
    const title = chat.titleOf(chat.client.thread(message.thread_id));
    const result = element('button', { class: 'result', type: 'button' },
      element('span', { class: 'result-head' },
        element('strong', {}, chat.nameFor(message.sender_id, message.sender_name, message.sender_display_name)), ` · ${title}`,
        element('time', {}, shortTime(message.date_ms, Date.now()))),
      element('span', { class: 'result-text' }, ...marked(message.text, field.value)));
    result.addEventListener('click', () => {
      close();
      onChosen(message.thread_id, message.seq);
    });
    return element('li', {}, result);
  }

  field.addEventListener('input', () => {
    isAsked = false;
    search();
  });
  field.addEventListener('keydown', ({ key, isComposing }) => {
    if (key !== 'Enter' || isComposing) return;
    isAsked = true;
    search();
  });
  here.addEventListener('change', () => search());
  field.focus();
}

/** The part of a text around the first match, with all matches highlighted. */
function marked(text, wanted) {
  return excerpt(text, wanted).map(({ piece, isMatch }) => (isMatch ? element('mark', {}, piece) : piece));
}
