import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The repository's root. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
/** Where results and what is built for measuring go; ignored by git. */
export const results = fileURLToPath(new URL('../results/', import.meta.url));

/** The build under measurement; name another one in SALLYPORT_DIST to compare two of them. */
export const dist = process.env.SALLYPORT_DIST ? resolve(process.env.SALLYPORT_DIST) : join(root, 'dist');

/** A file of the build: `built('webhooks.js')`. */
export const built = (file) => join(dist, file);

/** The file that Node imports in place of this one, which `exports` of package.json says too: its own where there is one. */
export const builtForNode = (file) => (existsSync(built(`node/${file}`)) ? built(`node/${file}`) : built(file));

/** A module of the build, as Node imports it. */
export const load = (file) => import(pathToFileURL(builtForNode(file)).href);

const newest = (folder) => {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
};

/** Builds the package unless its build is younger than its source: an old build measured by mistake is worse than none. */
export function ensureBuilt() {
  mkdirSync(results, { recursive: true });
  if (process.env.SALLYPORT_DIST) return;
  if (existsSync(built('index.js')) && statSync(built('index.js')).mtimeMs > newest(join(root, 'src'))) return;
  process.stderr.write('building the package\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('The package does not build: run npm run build to see why');
}

// The root's own tool: what bundles the package's source for a measurement is what builds the package.
const rootRequire = createRequire(join(root, 'package.json'));
/** esbuild, as the package uses it. */
export const esbuild = () => rootRequire('esbuild');

const bundledJson = ({ path, resolveDir }) => ({ path: createRequire(join(resolveDir, 'x.js')).resolve(path) });

/** Bundles TypeScript source of the package, for what no entry exports; gives the module. */
export async function loadSource(name, program) {
  const outfile = join(results, `build/${name}.mjs`);
  await esbuild().build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    // Lists that are JSON are bundled: Node imports none without being told so.
    plugins: [{ name: 'json', setup: ({ onResolve }) => onResolve({ filter: /\.json$/ }, bundledJson) }],
    outfile,
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
