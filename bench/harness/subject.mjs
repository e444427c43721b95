import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** The folder for results and benchmark builds. Git ignores it. */
export const results = fileURLToPath(new URL('../results/', import.meta.url));

/** The build to measure. Set SALLYPORT_DIST to measure another one. */
export const dist = process.env.SALLYPORT_DIST ? resolve(process.env.SALLYPORT_DIST) : join(root, 'dist');

/** Get the path of a file in the build: `built('webhooks.js')`. */
export const built = (file) => join(dist, file);

/** Get the path of the file that Node imports: the Node variant if there is one, as in `exports` of package.json. */
export const builtForNode = (file) => (existsSync(built(`node/${file}`)) ? built(`node/${file}`) : built(file));

/** Import a module of the build as Node does. */
export const load = (file) => import(pathToFileURL(builtForNode(file)).href);

const newest = (folder) => {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
};

/** Build the package unless the build is newer than the source, so that no outdated build is measured. */
export function ensureBuilt() {
  mkdirSync(results, { recursive: true });
  if (process.env.SALLYPORT_DIST) return;
  if (existsSync(built('index.js')) && statSync(built('index.js')).mtimeMs > newest(join(root, 'src'))) return;
  process.stderr.write('building the package\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('Building the package failed: run npm run build to see why');
}

const rootRequire = createRequire(join(root, 'package.json'));
/** Load esbuild from the package, so that benchmarks bundle with the tool that builds it. */
export const esbuild = () => rootRequire('esbuild');

const bundledJson = ({ path, resolveDir }) => ({ path: createRequire(join(resolveDir, 'x.js')).resolve(path) });

/** Bundle and import TypeScript source of the package that no entry exports. */
export async function loadSource(name, program) {
  const outfile = join(results, `build/${name}.mjs`);
  await esbuild().build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    // Bundle JSON files: Node imports them only with an import attribute.
    plugins: [{ name: 'json', setup: ({ onResolve }) => onResolve({ filter: /\.json$/ }, bundledJson) }],
    outfile,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
