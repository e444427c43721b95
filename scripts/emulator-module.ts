// Writes dist/emulator.js and dist/emulator.cjs: both forms of the emulator take everything from dist/emulator-body.cjs, so that
// the package holds it once. Run by `npm run build`, after tsup.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const names = Object.keys(createRequire(import.meta.url)('../dist/emulator-body.cjs')).join(', ');
// What never runs tells Node the names. Else it would read all of the body for them, which takes longer than to run it.
writeFileSync(
  'dist/emulator.cjs',
  `0 && (module.exports = { ${names} });
Object.assign(exports, require('./emulator-body.cjs'));
`,
);
writeFileSync('dist/emulator.js', `export { ${names} } from './emulator.cjs';\n`);
