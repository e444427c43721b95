// Writes dist/emulator.js: the ES module of the emulator, which takes everything from the CommonJS file, so that the package
// holds the emulator once. Run by `npm run build`, after tsup.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const names = Object.keys(createRequire(import.meta.url)('../dist/emulator.cjs'));
// Not `export … from`: Node would read all of the file once more to find its names, which takes longer than to run it.
writeFileSync(
  'dist/emulator.js',
  `import { createRequire } from 'node:module';
export const { ${names.join(', ')} } = createRequire(import.meta.url)('./emulator.cjs');
`,
);
