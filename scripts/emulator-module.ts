// Writes dist/emulator.js and dist/emulator.cjs, and what the command line takes beside them: all of it comes from dist/emulator-body.cjs,
// so that the package holds it once. Run by `npm run build`, after tsup.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { commandLine, ...everybody } = createRequire(import.meta.url)('../dist/emulator-body.cjs');
const names = Object.keys(everybody).join(', ');
// What never runs tells Node the names. Else it would read all of the body for them, which takes longer than to run it.
writeFileSync(
  'dist/emulator.cjs',
  `0 && (module.exports = { ${names} });
const { commandLine, ...everybody } = require('./emulator-body.cjs');
Object.assign(exports, everybody);
`,
);
writeFileSync('dist/emulator.js', `export { ${names} } from './emulator.cjs';\n`);
writeFileSync(
  'dist/emulator-command-line.js',
  `import body from './emulator-body.cjs';
export const { ${Object.keys(commandLine).join(', ')} } = body.commandLine;
`,
);
