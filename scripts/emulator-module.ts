// Writes dist/emulator.js and dist/emulator.cjs, and what the command line takes beside them: all of it comes from dist/emulator-body.cjs,
// so that the package holds it once. Run by `npm run build`, after tsup.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { commandLine, ...everybody } = createRequire(import.meta.url)('../dist/emulator-body.cjs');

/** Both forms of a module that gives these names of what the body gives. */
function write(module: string, names: readonly string[], given: string): void {
  const list = names.join(', ');
  // What never runs tells Node the names. Else it would read all of the body for them, which takes longer than to run it: so
  // nothing imports the body itself.
  writeFileSync(`dist/${module}.cjs`, `0 && (module.exports = { ${list} });\n${given}\n`);
  writeFileSync(`dist/${module}.js`, `export { ${list} } from './${module}.cjs';\n`);
}

write(
  'emulator',
  Object.keys(everybody),
  "const { commandLine, ...everybody } = require('./emulator-body.cjs');\nObject.assign(exports, everybody);",
);
write(
  'emulator-command-line',
  Object.keys(commandLine),
  "Object.assign(exports, require('./emulator-body.cjs').commandLine);",
);
