import { expect, test } from 'vitest';
import { chain } from '../../../src/emulator/chain/chain.js';

const namesIn = (steps: typeof chain): unknown[] =>
  steps.map((step) => (typeof step === 'function' ? step.name : namesIn(step)));

test('a request takes these steps in this order, and the first in brackets sees the answer of the others', () => {
  expect(namesIn(chain)).toEqual([
    'cors',
    'allowHost',
    'worldOfAddress',
    'answerPreflight',
    'match',
    'allowPage',
    'worldOfKey',
    'authorize',
    'readBody',
    'refuseFields',
    'chooseEndpoint',
    'worldOfRequest',
    'redirectToOwnAddress',
    'actAs',
    'limit',
    ['applyFault', ['repeat', ['run']]],
  ]);
});
