import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Complaints, compile, optionsOf } from '../builds/compiler.js';
import type { Unpacked } from './install.js';

const consumer = fileURLToPath(new URL('consumer.ts', import.meta.url));
const strictly = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: false,
  types: [],
  target: 'es2022',
  lib: ['es2022', 'dom'],
};

/** The compiler errors of programs of this kind that use the installed package. One of the programs is wrong. */
export function complaintsOf({ folder }: Unpacked, module: string, moduleResolution: string): Complaints {
  for (const name of ['consumer.mts', 'consumer.cts']) copyFileSync(consumer, join(folder, name));
  writeFileSync(join(folder, 'wrong.mts'), "import { Sallyports } from 'sallyport';\nvoid Sallyports;\n");
  const options = optionsOf({ ...strictly, module, moduleResolution });
  return compile(folder, ['consumer.mts', 'consumer.cts', 'wrong.mts'], options);
}

/** The error that the wrong program must cause. */
export const onlyTheWrong = {
  'consumer.mts': [],
  'consumer.cts': [],
  'wrong.mts': [expect.stringContaining("'Sallyports'. Did you mean 'Sallyport'?")],
  elsewhere: [],
};
