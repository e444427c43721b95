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

describe('a bill of materials', () => {
  test("contains each package's name, version, license, URL and hash, and the entry points that include the package", () => {
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

  test('keeps a license without an SPDX id, and omits a hash that CycloneDX does not support', () => {
    const [component] = JSON.parse(billOf(product, [own], lock)).components;

    expect(component.licenses).toEqual([{ license: { name: 'Our own terms', acknowledgement: 'declared' } }]);
    expect(component.hashes).toEqual([{ alg: 'SHA-256', content: 'f'.repeat(64) }]);
  });

  test('does not depend on the order of packages', () => {
    expect(billOf(product, [own, server], lock)).toBe(billOf(product, [server, own], lock));
  });

  test('cannot be created for a package version that is missing from the lock file', () => {
    expect(() => billOf(product, [{ ...server, version: '2.1.9' }], lock)).toThrow(
      'package-lock.json has no hash for @hono/node-server 2.1.9',
    );
    expect(() => billOf(product, [server], { packages: {} })).toThrow('has no hash for @hono/node-server 2.1.8');
  });

  test('with an invalid field is rejected by the CycloneDX schema', () => {
    const bill = JSON.parse(billOf(product, [server, own], lock));

    expect(faultsOfBill(bill)).toEqual([]);
    expect(faultsOfBill({ ...bill, specVersion: 1.6 })).toContain('/specVersion must be string');
    expect(faultsOfBill({ ...bill, components: [{ name: 'ky' }] })).toContain(
      "/components/0 must have required property 'type'",
    );
  });
});

test('the license script reports each exported entry point that has no known source file', () => {
  expect(unknownEntries({ '.': {}, './session': {}, './package.json': './package.json', './vue': {} })).toEqual([
    'sallyport/vue',
  ]);
});
