import { describe } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed, randomSeed } from './spellings.js';

takesLong('with many spellings of protected paths:', () => {
  describe('1,000 of each,', () => suiteOfSpellings(1_000, fixedSeed));
  describe(`200 of each with the random seed ${randomSeed},`, () => suiteOfSpellings(200, randomSeed));
});
