// Detection of confusable room titles, such as `garden` and `Garden`.

/** Confusable letters and digits, mapped to one of them. Greek and Cyrillic ones are in lower case. */
const ALIKE = Object.fromEntries(Object.entries({
  a: 'аα@4', b: 'вβ6', c: 'с', d: 'ԁ', e: 'еε3', g: '9', h: 'һн', i: 'іιl1!|', j: 'ј', k: 'кκ', m: 'м', n: 'ηп',
  o: 'оο0', p: 'рρ', s: 'ѕ5$', t: 'тτ7', u: 'υ', v: 'ν', w: 'ѡω', x: 'хχ', y: 'уγ', z: '2',
}).flatMap(([letter, others]) => [...others].map((other) => [other, letter])));

/** The title reduced to what distinguishes it visibly. */
function skeleton(title) {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const letters = [...plain].filter((each) => /[\p{L}\p{N}@$!|]/u.test(each)).map((each) => ALIKE[each] ?? each);
  // Confusable pairs: "rn" and "m", and doubled letters.
  return letters.join('').replaceAll('rn', 'm').replace(/(.)\1+/gu, '$1') || plain.trim();
}

/** Whether one insertion, removal, replacement or swap turns one text into the other. */
function isOneApart(a, b) {
  const [short, long] = [[...a], [...b]].sort((x, y) => x.length - y.length);
  if (long.length - short.length > 1) return false;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  const rest = (text, from) => text.slice(from).join('');
  if (short.length < long.length) return rest(short, start) === rest(long, start + 1);
  const isSwap = short[start] === long[start + 1] && short[start + 1] === long[start]
    && rest(short, start + 2) === rest(long, start + 2);
  return isSwap || rest(short, start + 1) === rest(long, start + 1);
}

/** Whether two titles belong to a series, such as `Sprint 12` and `Sprint 13`, whose numbers distinguish them. */
function areNumbered(a, b) {
  const [first, second] = [a, b].map((title) => title.normalize('NFKC').replace(/\P{Nd}/gu, ''));
  return first !== '' && second !== '' && first !== second;
}

/** The rooms that `title` could be confused with, except one with exactly this title. */
export function lookAlikes(title, rooms) {
  const wanted = title.trim();
  const shape = skeleton(wanted);
  return rooms.filter((room) => {
    if (room.title === wanted || areNumbered(room.title, wanted)) return false;
    const other = skeleton(room.title);
    return other === shape || (shape.length >= 5 && other.length >= 5 && isOneApart(shape, other));
  });
}

/** The prefixes to search for candidates with. The server compares titles byte by byte. */
export function searchPrefixes(title) {
  const first = [...title.trim()][0] ?? '';
  const alike = ALIKE[first.toLowerCase()] ?? first;
  return [...new Set([first, first.toLowerCase(), first.toUpperCase(), alike, alike.toUpperCase()])];
}
