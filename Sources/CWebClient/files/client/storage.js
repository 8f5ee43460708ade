// The entry @parley/client/storage: stores the outbox, the list of threads and messages in IndexedDB, one database for
// each user. Without IndexedDB (private windows of some browsers) nothing is stored.
import { Database } from './database.js';

export const indexedDBStorage = {
  open: (userID) => Database.open(userID),
  /** Removes everything of a user, after the logout. */
  remove: (userID) => Database.remove(userID),
  /** Removes what was received. Unsent messages stay for the next login. */
  removeRead: (userID) => Database.removeRead(userID),
};
