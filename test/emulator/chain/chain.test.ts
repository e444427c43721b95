import { expect, test } from 'vitest';
import { chain } from '../../../src/emulator/chain/chain.js';

const namesIn = (steps: typeof chain): unknown[] =>
  steps.map((step) => (typeof step === 'function' ? step.name : namesIn(step)));

test('a request passes these steps in order, and bracketed steps run around the next one', () => {
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
