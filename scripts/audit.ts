// Checks the packages whose code is inlined against the known vulnerabilities of the registry: `npm run audit`. `npm audit` does not see
// them in the projects of users, because no package manager installs them. Without an answer of the registry it warns and exits with 0.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages by name, each with its versions. */
export type Versions = Readonly<Record<string, readonly string[]>>;

/** The parts of package.json and of the bill of materials that name inlined packages. */
export interface Sources {
  readonly inlinedDependencies: Readonly<Record<string, string>>;
  readonly components?: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
}

/** List the inlined packages that package.json or the bill of materials names. */
export function inlinedVersions({ inlinedDependencies, components = [] }: Sources): Versions {
  const versions: Record<string, string[]> = {};
  const add = (name: string, version: string): void => {
    versions[name] = [...new Set([...(versions[name] ?? []), version])];
  };
  for (const [name, list] of Object.entries(inlinedDependencies)) for (const one of list.split(' || ')) add(name, one);
  for (const { group, name, version } of components) add(group ? `${group}/${name}` : name, version);
  return versions;
}

/** The result of an audit: one line for each finding, or why the registry gave no result. */
export type Audit = { readonly findings: readonly string[] } | { readonly unavailable: string };

/** The parts of the output of `npm audit --json` that this script reads. */
interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}
interface Advisory {
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly severity: string;
  readonly range: string;
}

/** Build the manifest and the lock file of a package that depends on exactly these versions. `npm audit` reads nothing else. */
function projectOf(versions: Versions) {
  const packages: Record<string, object> = {};
  const dependencies: Record<string, string> = {};
  for (const [name, list] of Object.entries(versions))
    for (const [at, version] of list.entries()) {
      // A tree has one version of a name, so that each further one is installed under an alias.
      const alias = at === 0 ? name : `${name}-${at + 1}`;
      dependencies[alias] = at === 0 ? version : `npm:${name}@${version}`;
      packages[`node_modules/${alias}`] = at === 0 ? { version } : { name, version };
    }
  const manifest = { name: 'inlined', version: '1.0.0', dependencies };
  return { manifest, lock: { ...manifest, lockfileVersion: 3, packages: { '': manifest, ...packages } } };
}

/** Ask the registry for the known vulnerabilities of these versions. The default registry is that of the npm configuration. */
export async function audit(versions: Versions, registry?: string): Promise<Audit> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-audit-'));
  try {
    const { manifest, lock } = projectOf(versions);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const options = [
      '--package-lock-only',
      '--json',
      '--fetch-retries=0',
      '--fetch-timeout=30000',
      '--loglevel=silent',
    ];
    const output = await new Promise<string>((resolve) => {
      const args = ['audit', ...options, ...(registry ? [`--registry=${registry}`] : [])];
      // npm exits with 1 for findings and for failures alike. Its output distinguishes them.
      execFile('npm', args, { cwd: folder, shell: process.platform === 'win32' }, (error, stdout) =>
        resolve(stdout || JSON.stringify({ message: error?.message ?? 'npm audit printed nothing' })),
      );
    });
    const { vulnerabilities, message, error }: Report = JSON.parse(output);
    if (!vulnerabilities) {
      const reason = message || error?.summary || 'npm audit gave no reason';
      return { unavailable: reason.trim().replace(/\s+/g, ' ') };
    }
    return {
      findings: Object.values(vulnerabilities)
        .flatMap(({ via }) => via.filter((one) => typeof one === 'object'))
        .map(({ name, range, severity, title, url }) => `${name} ${range} (${severity}): ${title}. ${url}`),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Print the result of an audit. Returns the exit code. */
export function report(result: Audit, count: number, print: (line: string) => void): number {
  if ('unavailable' in result) {
    print(`Warning: the ${count} inlined packages were not checked for vulnerabilities: ${result.unavailable}`);
    return 0;
  }
  for (const line of result.findings) print(line);
  if (result.findings.length === 0) print(`No known vulnerabilities in the ${count} inlined packages.`);
  return result.findings.length === 0 ? 0 : 1;
}

async function main(): Promise<void> {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const bill = existsSync('sbom.cdx.json') ? read('sbom.cdx.json') : {};
  const versions = inlinedVersions({ ...read('package.json'), components: bill.components });
  const count = Object.values(versions).flat().length;
  process.exitCode = report(await audit(versions), count, (line) => console.log(line));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
