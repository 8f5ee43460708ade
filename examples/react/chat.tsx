// React hooks for @parley/client. React may mount, unmount and mount a component again at once (StrictMode does so on
// purpose); the client stays the same, with one socket.
import { createClient } from '@parley/client';
import type { ChatMessage, ChatThread, Client, ClientOptions, ConnectionState } from '@parley/client';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';

/** The client of a provider: made when the first component needs it, closed a moment after the last one is gone. */
class Lease {
  client: Client | null = null;
  version = 0;
  private users = 0;
  private listeners = new Set<() => void>();

  constructor(private options: ClientOptions) {}

  take = () => {
    this.users += 1;
    if (!this.client) {
      this.client = createClient(this.options);
      for (const event of ['change', 'state', 'signedOut'] as const) this.client.on(event, this.changed);
      this.changed();
    }
    return () => {
      this.users -= 1;
      // The component may only be mounted again.
      setTimeout(this.closeIfUnused, 0);
    };
  };

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => { this.listeners.delete(listener); };
  };

  private closeIfUnused = () => {
    if (this.users > 0) return;
    this.client?.close();
    this.client = null;
  };

  private changed = () => {
    this.version += 1;
    for (const listener of [...this.listeners]) listener();
  };
}

const LeaseContext = createContext<Lease | null>(null);

/** Provides a client. Other `options` need another `key`. */
export function ChatProvider({ options, children }: { options: ClientOptions; children: ReactNode }) {
  const [lease] = useState(() => new Lease(options));
  useEffect(lease.take, [lease]);
  return <LeaseContext.Provider value={lease}>{children}</LeaseContext.Provider>;
}

function useLease(): Lease {
  const lease = useContext(LeaseContext);
  if (!lease) throw new Error('there is no ChatProvider above this component');
  useSyncExternalStore(lease.subscribe, () => lease.version);
  return lease;
}

/** The client; `null` before the provider is mounted. The component renders again when anything has changed. */
export const useChat = (): Client | null => useLease().client;

export const useConnection = (): ConnectionState => useChat()?.state ?? 'off';

export const useThreads = (): readonly ChatThread[] => useChat()?.threads ?? [];

/** The messages of a thread, kept up to date. */
export function useMessages(threadID: string | null): readonly ChatMessage[] {
  const client = useChat();
  const [items, setItems] = useState<readonly ChatMessage[]>([]);
  useEffect(() => {
    if (!client || !threadID) return undefined;
    const collection = client.messages(threadID);
    const stop = collection.subscribe(setItems);
    return () => {
      stop();
      collection.close();
    };
  }, [client, threadID]);
  return items;
}
