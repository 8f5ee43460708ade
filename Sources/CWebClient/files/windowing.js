// The arithmetic of a list of which only the visible rows exist. No DOM here.

/** The positions of rows whose heights are known only once they were shown. */
export class Heights {
  #known = new Map();
  #rows = [];
  #offsets = new Float64Array(1);
  #validTo = 0;
  #estimate;

  /** @param estimate the likely height of a row that was not shown yet */
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
    // Rows that are gone; now and then, since most stay.
    if (this.#known.size > rows.length * 2 + 1_000) {
      const keys = new Set(rows.map((row) => row.key));
      for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    }
  }

  /** The width has changed. */
  forget() {
    this.#known.clear();
    this.#validTo = 0;
  }

  /** @returns whether it differs from what was assumed */
  measured(index, height) {
    const { key } = this.#rows[index];
    if (this.#known.get(key) === height) return false;
    this.#known.set(key, height);
    this.#validTo = Math.min(this.#validTo, index);
    return true;
  }

  /** The distance of the upper edge of row `index` from the top; for the number of rows, the height of all. */
  offset(index) {
    for (let at = this.#validTo; at < index; at += 1) {
      const row = this.#rows[at];
      this.#offsets[at + 1] = this.#offsets[at] + (this.#known.get(row.key) ?? this.#estimate(row));
    }
    this.#validTo = Math.max(this.#validTo, index);
    return this.#offsets[index];
  }

  /** The row at a distance from the top; the first or last one outside. */
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

  /** The rows to show: those between two distances, as `[first, end)`. */
  range(top, bottom) {
    if (this.#rows.length === 0) return [0, 0];
    return [this.indexAt(top), this.indexAt(bottom) + 1];
  }
}
