// A chat with the hooks of chat.tsx: log in, join a room, read and write.
import type { ClientOptions } from '@parley/client';
import { StrictMode, useEffect, useState } from 'react';
import type { FormEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { ChatProvider, useChat, useConnection, useMessages, useThreads } from './chat';

function Login({ onDone }: { onDone: (options: ClientOptions) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    onDone({ credentials: { username: `${fields.get('username')}`, password: `${fields.get('password')}` } });
  };
  return (
    <form id="login" onSubmit={submit}>
      <input name="username" autoComplete="username" /> <input name="password" type="password" autoComplete="current-password" /> <button>Log in</button>
    </form>
  );
}

function Room({ title }: { title: string }) {
  const client = useChat();
  const [thread, setThread] = useState<string | null>(null);
  const messages = useMessages(thread).filter(({ kind }) => kind === 'message');
  useEffect(() => {
    client?.ready.then(() => client.join(title)).then(({ id }) => setThread(id), () => {});
  }, [client, title]);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = `${new FormData(event.currentTarget).get('text')}`;
    if (thread) client?.send(thread, text);
    event.currentTarget.reset();
  };
  return (
    <>
      <ol id="messages">
        {messages.map(({ clientID, id, senderName, text, state }) => <li key={clientID ?? id}>{`${senderName}: ${text} [${state}]`}</li>)}
      </ol>
      {thread && <form id="composer" onSubmit={send}><input name="text" autoComplete="off" /> <button>Send</button></form>}
    </>
  );
}

function Threads() {
  const state = useConnection();
  return <ul id="threads" data-state={state}>{useThreads().map(({ id, title, unread }) => <li key={id}>{`${title} (${unread})`}</li>)}</ul>;
}

function App() {
  const [options, setOptions] = useState<ClientOptions | null>(null);
  if (!options) return <Login onDone={setOptions} />;
  return <ChatProvider options={options}><Threads /><Room title="Garden" /></ChatProvider>;
}

createRoot(document.getElementById('app')!).render(<StrictMode><App /></StrictMode>);
