import { mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';
import { find, readMutants, readSources } from './list.js';
import { withMutants } from './plugin.js';

const sources = readSources();

export default mergeConfig(base, {
  plugins: [withMutants(readMutants().map((mutant) => find(mutant, sources)))],
  test: { setupFiles: ['test/mutants/setup.ts'], experimental: { fsModuleCache: true } },
});
