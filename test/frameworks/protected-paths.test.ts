import { describe } from 'vitest';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed } from './spellings.js';

describe('protected paths in 30 spellings each', () => suiteOfSpellings(30, fixedSeed));
