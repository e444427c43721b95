// Writes dist/emulator.js: the ES module of the emulator, which takes everything from the CommonJS file, so that the package
// holds the emulator once. Run by `npm run build`, after tsup.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const names = Object.keys(createRequire(import.meta.url)('../dist/emulator.cjs'));
writeFileSync('dist/emulator.js', `export { ${names.join(', ')} } from './emulator.cjs';\n`);
