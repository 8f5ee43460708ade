// The local storage, for small values that all tabs share. It may be full, or not allowed: then a value is missing after the next start.

/** @returns `null` if there is none */
export function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param value is removed if it is `null` */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // See above.
  }
}
