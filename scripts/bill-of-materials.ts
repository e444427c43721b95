// Writes sbom.cdx.json, a CycloneDX bill of materials. It lists every package whose code is inlined into our files, so that
// scanners find packages that no package manager installs. Part of `npm run build`.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { ComponentType, HashAlgorithm, LicenseAcknowledgement } from '@cyclonedx/cyclonedx-library/Enums';
import {
  Bom,
  Component,
  HashDictionary,
  LicenseRepository,
  NamedLicense,
  Property,
  SpdxLicense,
} from '@cyclonedx/cyclonedx-library/Models';
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize';
import { isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX';
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec';
import { type Inlined, inlinedInBuild, specifierOf } from './third-party-licenses.js';

/** Identifies a package. */
export interface Identity {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The parts of package-lock.json that this script reads. */
export interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

const algorithms: Readonly<Record<string, HashAlgorithm>> = {
  sha256: HashAlgorithm['SHA-256'],
  sha384: HashAlgorithm['SHA-384'],
  sha512: HashAlgorithm['SHA-512'],
};

/** Parse the `integrity` of a tarball: `sha512-<base64>`, or several such hashes separated by spaces. */
function hashesOf(integrity: string): HashDictionary {
  const hashes = new HashDictionary();
  for (const one of integrity.split(' ')) {
    const [name = '', content = ''] = one.split(/-(.*)/s);
    const algorithm = algorithms[name];
    if (algorithm) hashes.set(algorithm, Buffer.from(content, 'base64').toString('hex'));
  }
  return hashes;
}

const purlOf = ({ name, version }: Identity): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function componentOf(type: ComponentType, identity: Identity, more: { hashes?: HashDictionary } = {}): Component {
  const [name, group] = identity.name.split('/').reverse() as [string, string?];
  const license = isSupportedSpdxId(identity.license)
    ? new SpdxLicense(identity.license)
    : new NamedLicense(identity.license);
  license.acknowledgement = LicenseAcknowledgement.Declared;
  const purl = purlOf(identity);
  const { version } = identity;
  const licenses = new LicenseRepository([license]);
  return new Component(type, name, { bomRef: purl, purl, version, licenses, ...(group ? { group } : {}), ...more });
}

/**
 * Build the bill of materials as JSON. It has no date and no serial number, so that the same packages produce the same text.
 *
 * @throws {Error} The lock file has no hash for a package, or lists another version of it.
 */
export function billOf(product: Identity, inlined: readonly Inlined[], lock: Lock): string {
  const bom = new Bom();
  const whole = componentOf(ComponentType.Library, product);
  bom.metadata.component = whole;
  for (const one of inlined) {
    const { version, integrity } = lock.packages[one.folder] ?? {};
    if (version !== one.version || !integrity)
      throw new Error(
        `package-lock.json has no hash for ${one.name} ${one.version} at ${one.folder}, which is inlined. Run npm ci, then build again`,
      );
    const part = componentOf(ComponentType.Library, one, { hashes: hashesOf(integrity) });
    for (const entry of one.entries) part.properties.add(new Property('sallyport:entry', specifierOf(entry)));
    bom.components.add(part);
    whole.dependencies.add(part.bomRef);
  }
  const serializer = new JsonSerializer(new Json.Normalize.Factory(Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function main(): void {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync('sbom.cdx.json', billOf(read('package.json'), inlinedInBuild(), read('package-lock.json')));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
