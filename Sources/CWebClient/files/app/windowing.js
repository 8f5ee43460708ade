// The arithmetic of a list in which only the visible rows exist. No DOM here.

/** The positions of rows whose heights are unknown until they are shown. */
export class Heights {
  #known = new Map();
  #rows = [];
  #offsets = new Float64Array(1);
  #validTo = 0;
  #estimate;

  /** @param estimate the estimated height of a row that was not shown yet */
  constructor(estimate) {
    this.#estimate = estimate;
  }

  get total() {
    return this.offset(this.#rows.length);
  }

  /** @param rows each with a unique `key` */
  reset(rows) {
    this.#rows = rows;
    if (this.#offsets.length < rows.length + 1) this.#offsets = new Float64Array(rows.length * 2 + 1);
    this.#validTo = 0;
    // Removes the heights of deleted rows at intervals, because most rows stay.
    if (this.#known.size > rows.length * 2 + 1_000) {
      const keys = new Set(rows.map((row) => row.key));
      for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    }
  }

  /** Handles a change of the width. */
  forget() {
    this.#known.clear();
    this.#validTo = 0;
  }

  /** @returns whether the height differs from the estimate */
  measured(index, height) {
    const { key } = this.#rows[index];
    if (this.#known.get(key) === height) return false;
    this.#known.set(key, height);
    this.#validTo = Math.min(this.#validTo, index);
    return true;
  }

  /** The distance of the upper edge of row `index` from the top. For the number of rows, it is the total height. */
  offset(index) {
    for (let at = this.#validTo; at < index; at += 1) {
      const row = this.#rows[at];
      this.#offsets[at + 1] = this.#offsets[at] + (this.#known.get(row.key) ?? this.#estimate(row));
    }
    this.#validTo = Math.max(this.#validTo, index);
    return this.#offsets[index];
  }

  /** The row at a distance from the top, or the first or last row outside the list. */
  indexAt(distance) {
    this.offset(this.#rows.length);
    let low = 0;
    let high = Math.max(0, this.#rows.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#offsets[middle] <= distance) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The rows to show between two distances, as `[first, end)`. */
  range(top, bottom) {
    if (this.#rows.length === 0) return [0, 0];
    return [this.indexAt(top), this.indexAt(bottom) + 1];
  }
}
