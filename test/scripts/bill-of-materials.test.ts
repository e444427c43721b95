import { describe, expect, test } from 'vitest';
import { billOf, type Lock } from '../../scripts/bill-of-materials.js';
import { type Inlined, unknownEntries } from '../../scripts/third-party-licenses.js';
import { faultsOfBill } from '../package/bill-schema.js';

const product = { name: 'sallyport', version: '1.2.3', license: 'MIT' };
const server: Inlined = {
  name: '@hono/node-server',
  version: '2.1.8',
  license: 'MIT',
  text: 'Do as you please.',
  folder: 'node_modules/@hono/node-server',
  entries: ['src/emulator/body.ts'],
};
const own: Inlined = { ...server, name: 'own', license: 'Our own terms', folder: 'node_modules/own', entries: [] };
const lock: Lock = {
  packages: {
    'node_modules/@hono/node-server': { version: '2.1.8', integrity: `sha512-${'A'.repeat(86)}==` },
    'node_modules/own': { version: '2.1.8', integrity: `sha1-AAEC sha256-${'/'.repeat(42)}8=` },
  },
};

describe('the bill of materials', () => {
  test("contains each package's name, version, license, URL and hash, and the entries that include it", () => {
    const bill = JSON.parse(billOf(product, [server], lock));

    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(bill.metadata.component).toMatchObject({ name: 'sallyport', purl: 'pkg:npm/sallyport@1.2.3' });
    expect(bill.components).toEqual([
      {
        type: 'library',
        group: '@hono',
        name: 'node-server',
        version: '2.1.8',
        'bom-ref': 'pkg:npm/%40hono/node-server@2.1.8',
        purl: 'pkg:npm/%40hono/node-server@2.1.8',
        licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
        hashes: [{ alg: 'SHA-512', content: '0'.repeat(128) }],
        properties: [{ name: 'sallyport:entry', value: 'sallyport/emulator' }],
      },
    ]);
    expect(bill.dependencies).toContainEqual({
      ref: 'pkg:npm/sallyport@1.2.3',
      dependsOn: ['pkg:npm/%40hono/node-server@2.1.8'],
    });
  });

  test('names licenses that SPDX does not list, but only hashes that CycloneDX knows', () => {
    const [component] = JSON.parse(billOf(product, [own], lock)).components;

    expect(component.licenses).toEqual([{ license: { name: 'Our own terms', acknowledgement: 'declared' } }]);
    expect(component.hashes).toEqual([{ alg: 'SHA-256', content: 'f'.repeat(64) }]);
  });

  test('is the same for the same packages in any order', () => {
    expect(billOf(product, [own, server], lock)).toBe(billOf(product, [server, own], lock));
  });

  test('cannot be created for packages whose version is not in the lock file', () => {
    expect(() => billOf(product, [{ ...server, version: '2.1.9' }], lock)).toThrow(
      'package-lock.json has no hash for @hono/node-server 2.1.9',
    );
    expect(() => billOf(product, [server], { packages: {} })).toThrow('has no hash for @hono/node-server 2.1.8');
  });

  test('is rejected by its schema if it is wrong', () => {
    const bill = JSON.parse(billOf(product, [server, own], lock));

    expect(faultsOfBill(bill)).toEqual([]);
    expect(faultsOfBill({ ...bill, specVersion: 1.6 })).toContain('/specVersion must be string');
    expect(faultsOfBill({ ...bill, components: [{ name: 'ky' }] })).toContain(
      "/components/0 must have required property 'type'",
    );
  });
});

test('a license list entry without a source is reported', () => {
  expect(unknownEntries({ '.': {}, './session': {}, './package.json': './package.json', './vue': {} })).toEqual([
    'sallyport/vue',
  ]);
});
