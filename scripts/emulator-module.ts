// Writes dist/emulator.js, dist/emulator.cjs and the same files for the command line. They re-export dist/emulator-body.cjs, so
// that the package contains the emulator only once. Run by `npm run build`, after tsup.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { commandLine, ...everybody } = createRequire(import.meta.url)('../dist/emulator-body.cjs');

/** Write a module, as ESM and as CommonJS, that re-exports these names from the body. */
function write(module: string, names: readonly string[], given: string): void {
  const list = names.join(', ');
  // Node reads the export names from this dead code. Otherwise it would scan the whole body for them, which takes longer than
  // running it. Therefore nothing may import the body directly.
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
