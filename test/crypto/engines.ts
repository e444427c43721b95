import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

const program = `
export { verifyAccessToken } from './src/crypto/access-token.ts';
export { pinnedKeys } from './src/crypto/key-set.ts';
export { passwordRing, seal, unseal } from './src/crypto/seal.ts';
export { verifyWebhook } from './src/webhooks/verify.ts';
export { createSessionReader } from './src/session/read/reader.ts';`;

/** The parts that both engines have. */
export type Engine = Pick<typeof import('../../src/crypto/access-token.js'), 'verifyAccessToken'> &
  Pick<typeof import('../../src/crypto/key-set.js'), 'pinnedKeys'> &
  Pick<typeof import('../../src/crypto/seal.js'), 'passwordRing' | 'seal' | 'unseal'> &
  Pick<typeof import('../../src/webhooks/verify.js'), 'verifyWebhook'> &
  Pick<typeof import('../../src/session/read/reader.js'), 'createSessionReader'>;

/** Bundle the sources twice, with Node's cryptography and with Web Crypto. */
export async function engines(): Promise<{ readonly native: Engine; readonly web: Engine }> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-engines-'));
  const load = async (name: 'native' | 'web'): Promise<Engine> => {
    const outfile = join(folder, `${name}.mjs`);
    await build({
      stdin: { contents: program, resolveDir: root, loader: 'ts' },
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      external: ['node:*'],
      alias: { '#crypto': join(root, `src/crypto/${name}`) },
      outfile,
      logLevel: 'error',
    });
    return import(/* @vite-ignore */ pathToFileURL(outfile).href);
  };
  try {
    return { native: await load('native'), web: await load('web') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
