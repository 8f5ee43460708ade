// The cache of pictures that the service worker fills for the user of this page.

/** As in `serviceWorker.js`. */
const PREFIX = 'parley-pictures-';
const OWNED = 'owned';

// Not over plain HTTP from another machine.
const storage = globalThis.caches;

const namesOf = async (isWanted) => (await storage.keys()).filter((name) => name.startsWith(PREFIX) && isWanted(name));

/** The changes are made one after the other, whatever their callers wait for. */
let last = Promise.resolve();

function next(change) {
  if (!storage) return last;
  // Private windows of some browsers refuse.
  last = last.then(change).catch(() => {});
  return last;
}

/** Lets the service worker keep the pictures that a user is shown, and forgets all others. */
export const keepPictures = (userID) => next(async () => {
  const own = PREFIX + userID;
  for (const name of await namesOf((each) => each !== own)) await storage.delete(name);
  await (await storage.open(own)).put(OWNED, new Response(''));
});

/** Forgets the pictures of all users. */
export const forgetPictures = () => next(async () => {
  for (const name of await namesOf(() => true)) await storage.delete(name);
});
