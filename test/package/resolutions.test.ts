import { afterAll, beforeAll, expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { complaintsOf, onlyTheWrong } from './consumers.js';
import { type Installed, packAndInstall } from './install.js';

takesLong('the types are compiled in other modules too, and wrong programs are refused:', () => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await packAndInstall();
  });
  afterAll(() => installed?.remove());

  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'module %s, resolution %s',
    (module, resolution) => {
      expect(complaintsOf(installed, module, resolution)).toEqual(onlyTheWrong);
    },
    60_000,
  );
});
