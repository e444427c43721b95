import { describe } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed, randomSeed } from './spellings.js';

takesLong('protected paths at length', () => {
  describe('in 1,000 spellings each', () => suiteOfSpellings(1_000, fixedSeed));
  describe(`in 200 spellings each with the random seed ${randomSeed}`, () => suiteOfSpellings(200, randomSeed));
});
