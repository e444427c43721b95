import { afterAll, beforeAll, expect, test } from 'vitest';
import { takesLong } from '../runner/requirements.js';
import { complaintsOf, onlyTheWrong } from './consumers.js';
import { folderWithPackage, type Unpacked } from './install.js';

takesLong('the published types', () => {
  let installed: Unpacked;
  beforeAll(async () => {
    installed = await folderWithPackage();
  });
  afterAll(() => installed?.remove());

  test.each([
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'accept correct programs and reject an incorrect program (module %s, moduleResolution %s)',
    (module, resolution) => {
      expect(complaintsOf(installed, module, resolution)).toEqual(onlyTheWrong);
    },
    60_000,
  );
});
