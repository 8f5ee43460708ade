// A chat in 40 lines: log in, join a room, read and write.
import { createClient } from '@parley/client';
import { indexedDBStorage } from '@parley/client/storage';

const byID = (id) => document.getElementById(id);
let client;
let messages;

byID('login').onsubmit = async (event) => {
  event.preventDefault();
  client = createClient({ credentials: Object.fromEntries(new FormData(event.target)), storage: indexedDBStorage, tabs: true });
  client.on('change', showThreads);
  await client.ready;
  byID('login').hidden = true;
  open((await client.join('Garden')).id);
};

function open(thread) {
  messages?.close();
  messages = client.messages(thread);
  messages.subscribe(showMessages);
  byID('composer').hidden = false;
  byID('composer').onsubmit = (event) => {
    event.preventDefault();
    client.send(thread, event.target.text.value);
    event.target.reset();
  };
}

const line = (text) => Object.assign(document.createElement('li'), { textContent: text });

function showThreads() {
  byID('threads').replaceChildren(...client.threads.map(({ id, title, unread }) =>
    Object.assign(line(`${title} (${unread})`), { onclick: () => open(id) })));
}

function showMessages(items) {
  const texts = items.filter(({ kind }) => kind === 'message').map(({ senderName, text, state }) => `${senderName}: ${text} [${state}]`);
  byID('messages').replaceChildren(...texts.map(line));
}
