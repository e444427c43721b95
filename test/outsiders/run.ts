import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEmulator, type Emulator, type Seed } from 'sallyport/emulator';

const here = import.meta.dirname;

/** The folder of an installed third-party package. */
export const folderOf = (outsider: string): string => join(here, outsider);

/** The need of a suite for a third-party package, for `requires`. */
export const installed = (outsider: string): string => join('test/outsiders', outsider, 'node_modules');

/** The results of the steps of a driver, by name. */
export type Outcomes = Readonly<Record<string, { readonly value?: unknown; readonly error?: unknown }>>;

/** Runs a program of `drivers` with the newest runtime that the third-party packages require, and reads its results. */
export async function drive(driver: string, outsider: string, env: Record<string, string>): Promise<Outcomes> {
  const { stdout } = await promisify(execFile)('node22', [join(here, 'drivers', driver)], {
    env: { ...process.env, ...env, OUTSIDER: folderOf(outsider) },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
  return JSON.parse(stdout);
}

/** Starts an emulator that plays the public service. Its hosted pages approve every sign-in, unless `autoApprove` is false. */
export async function publicService(seed: Seed | string, autoApprove = true): Promise<Emulator> {
  const emulator = await createEmulator({ dialect: 'workos', seed, autoApprove });
  await emulator.listen(0);
  return emulator;
}

/** The environment variables that tell a driver where the emulator is. */
export const whereabouts = ({ url, credentials }: Emulator): Record<string, string> => ({
  SERVICE: String(url),
  API_KEY: credentials.apiKey,
  CLIENT_ID: credentials.clientId,
});
