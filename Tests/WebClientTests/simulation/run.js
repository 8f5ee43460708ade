// Runs seeds of the simulation, and prints what is wrong: node run.js --seeds 1000 --from 1; --trace says what happens
import { parseArgs } from 'node:util';
import { World } from './world.js';

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '1000' }, from: { type: 'string', default: '1' }, trace: { type: 'boolean', default: false } } });
const [first, count] = [Number(values.from), Number(values.seeds)];
const start = performance.now();
let failed = 0;
let sends = 0;
for (let seed = first; seed < first + count; seed += 1) {
  const world = new World(seed, values.trace ? console.log : undefined);
  const wrong = await world.live();
  sends += world.sends.length;
  if (wrong.length === 0) continue;
  failed += 1;
  console.log(`seed ${seed}: ${wrong.slice(0, 3).join('\n  ')}`);
}
console.log(`${count} seeds from ${first}, ${sends} sends, ${failed} failed, ${Math.round((performance.now() - start) / 1000)} s`);
process.exitCode = failed > 0 ? 1 : 0;
