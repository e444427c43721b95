import { expect, test } from 'vitest';
import { chain } from '../../../src/emulator/chain/chain.js';

test('a request passes through the steps of four phases in a fixed order', () => {
  const { admit, locate, read, perform } = chain;
  const namesOf = (steps: readonly { readonly name: string }[]) => steps.map(({ name }) => name);

  expect(namesOf(admit.steps)).toEqual(['allowHost', 'matchPath', 'admitPage', 'worldOfAddress', 'answerPreflight']);
  expect(namesOf(locate.steps)).toEqual(['matchMethod', 'allowPage', 'worldOfKey', 'authorize']);
  expect(namesOf(read.steps)).toEqual([
    'readBody',
    'parse',
    'worldOfRequest',
    'allowReading',
    'refuseFields',
    'chooseEndpoint',
    'actAs',
  ]);
  expect(namesOf(perform)).toEqual(['limit', 'applyFault', 'repeat', 'run']);
});
