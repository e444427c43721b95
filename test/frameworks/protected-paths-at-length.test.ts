import { describe } from 'vitest';
import { takesLong } from '../requirements.js';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed, randomSeed } from './spellings.js';

takesLong('protected paths in 5,000 spellings each', () => {
  for (const seed of [fixedSeed, randomSeed]) describe(`with seed ${seed}`, () => suiteOfSpellings(5_000, seed));
});
