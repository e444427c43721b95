import { describe } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed, randomSeed } from './spellings.js';

takesLong('protected paths at length', () => {
  describe('in 2,000 spellings each', () => suiteOfSpellings(2_000, fixedSeed));
  describe(`in 400 spellings each with the random seed ${randomSeed}`, () => suiteOfSpellings(400, randomSeed));
});
