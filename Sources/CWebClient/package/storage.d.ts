import type { ChatStorage } from './index.js';

/** Stores the outbox, the list of threads and messages in IndexedDB, one database for each user. */
export declare const indexedDBStorage: ChatStorage & {
  /** Removes everything of a user, after the logout. */
  remove(userID: string): Promise<void>;
  /** Removes what was received. Unsent messages stay for the next login of the user. */
  removeRead(userID: string): Promise<void>;
};
