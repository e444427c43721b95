import { fileURLToPath } from 'node:url';
import { apartFrom, budgets, programs } from '../test/package/budgets.js';
import { bundle } from '../test/package/bundle.js';

/** Prints the modules in the program of a size budget, largest first: `npx tsx scripts/weigh.ts session`. */
const root = fileURLToPath(new URL('..', import.meta.url));
const names = Object.keys(budgets) as (keyof typeof budgets)[];
const which = names.find((name) => name === process.argv[2]);
if (!which) {
  console.error(`Pass the name of a budget: ${names.join(', ')}.`);
  process.exit(1);
}

const { code, gzipped, bytes } = await bundle(programs[which], root, apartFrom[which]);
const folderOf = (file: string) =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file.split('/').slice(0, -1).join('/');
const folders = new Map<string, number>();
for (const [file, size] of bytes) {
  folders.set(folderOf(file), (folders.get(folderOf(file)) ?? 0) + size);
  console.log(`${String(size).padStart(7)}  ${file}`);
}
console.log(`\n${[...folders].map(([folder, size]) => `${String(size).padStart(7)}  ${folder}`).join('\n')}`);
console.log(
  `\n${which}: ${code.length} bytes minified, ${gzipped} gzipped, ${(gzipped / 1024).toFixed(2)} KiB of ${(budgets[which] / 1024).toFixed(2)}`,
);
