// The local storage, for small values that all tabs share. Writing may fail, because the storage is full or disabled.
// In that case a value is missing after the next start.

/** @returns `null` if there is no value */
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param value the value; `null` removes it */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // See above.
  }
}
