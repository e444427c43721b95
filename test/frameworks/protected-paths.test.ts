import { describe } from 'vitest';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed } from './spellings.js';

describe('protected paths in 8 spellings each', () => suiteOfSpellings(8, fixedSeed));
