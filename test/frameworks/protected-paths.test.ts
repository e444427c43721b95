import { describe } from 'vitest';
import { suiteOfSpellings } from './node-servers.js';
import { fixedSeed } from './spellings.js';

describe('with 8 spellings of each protected path,', () => suiteOfSpellings(8, fixedSeed));
