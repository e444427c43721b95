import { createEmulatorWith, type DevSettings, isLoopback, type Source } from '../../emulator/command-line.js';
import {
  type Emulator,
  EmulatorError,
  type EmulatorOptions,
  type HttpsOptions,
  type Seed,
} from '../../emulator/index.js';
import { pc } from '../colours.js';
import { CommandError } from '../command-error.js';
import { readFlagFile } from '../flag-file.js';
import { printableJson, printableLines } from '../printable.js';
import { defaultHost, defaultPort } from '../tasks.js';
import { banner } from './banner.js';
import { optionsOfFlags } from './option-flags.js';
import { requestLine } from './request-line.js';
import { loadSeed, type SeedFlags } from './seed-file.js';
import { changesText, refusalText } from './seed-texts.js';
import { userLines, usersIn } from './seeded-people.js';
import { watchSeed } from './watch-seed.js';

/** Parsed emulator flags, besides those of options. */
export interface EmulatorFlags extends SeedFlags {
  readonly port?: string;
  readonly host?: string;
  readonly httpsCert?: string;
  readonly httpsKey?: string;
}

/** Parse a port. `Number` alone would turn an empty string into 0, which means any free port. */
const parsePort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CommandError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
};

/** Read the certificate and key for HTTPS. Returns undefined for HTTP. @throws {CommandError} Only one of them is set. */
function httpsOf({ httpsCert, httpsKey }: EmulatorFlags): HttpsOptions | undefined {
  const cert = readFlagFile('--https-cert', httpsCert);
  const key = readFlagFile('--https-key', httpsKey);
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new CommandError(
    `--https-cert and --https-key must be used together: a certificate and its private key, in PEM. ${cert === undefined ? '--https-cert' : '--https-key'} is missing.`,
  );
}

/** A running emulator. */
interface StartedEmulator {
  readonly emulator: Emulator;
  /** The seed file that it started with. */
  readonly seed: Source | undefined;
  /** Whether the requested port was in use, so that the emulator listens on a later one. */
  readonly hasMoved: boolean;
}

/** Listen on the first free port of a range, and return that port. */
async function listenInRange(first: number, last: number, listen: (port: number) => Promise<string>): Promise<number> {
  for (let port = first; ; port++)
    try {
      await listen(port);
      return port;
    } catch (error) {
      if (!(error instanceof EmulatorError) || error.code !== 'port_in_use' || port >= last) throw error;
    }
}

/** Number of ports to try after the first. */
const maxExtraPorts = 20;

/** Start an emulator that listens. With `takesNextPort`, it tries the next 20 ports if the requested port is in use. */
export async function startEmulator(
  flags: EmulatorFlags,
  defaults: EmulatorOptions = {},
  devSettings: DevSettings = {},
  takesNextPort = false,
): Promise<StartedEmulator> {
  const port = parsePort(String(flags.port ?? defaultPort));
  const host = String(flags.host ?? defaultHost);
  const https = httpsOf(flags);
  const seed = await loadSeed(flags);
  const options: EmulatorOptions = {
    ...defaults,
    ...optionsOfFlags(flags),
    // The emulator also accepts a seed source that is already loaded.
    seed: (seed as Seed | undefined) ?? defaults.seed,
  };
  const emulator = await createEmulatorWith(options, devSettings);
  let listensOn: number;
  try {
    const last = takesNextPort ? port + maxExtraPorts : port;
    listensOn = await listenInRange(port, last, (at) => emulator.listen(at, host, https && { https }));
  } catch (error) {
    await emulator.close();
    throw error;
  }
  warnIfExposed(host);
  return { emulator, seed, hasMoved: listensOn !== port };
}

/** Flags about the output of `sallyport emulator`. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Run an emulator until a signal arrives, and print a line for each request. */
export async function runEmulator({ json, quiet, ...flags }: EmulatorFlags & OutputFlags): Promise<void> {
  const { emulator, seed } = await startEmulator(flags);
  stopOnSignal(emulator);
  const { adminKey, credentials, url } = emulator;
  const { apiKey, clientId } = credentials;
  const jsonLine = (value: unknown): string => `${printableJson(value)}\n`;
  const print = (text: string): unknown => process.stdout.write(text);
  // Watch before printing that the emulator is ready, so that no change is missed.
  if (flags.watch && seed)
    watchSeed(emulator, seed, {
      onChange: (file, changes) => print(json ? jsonLine({ seed: file, changes }) : changesText(file, changes)),
      onError: (why) => process.stderr.write(refusalText(why)),
    });
  print(
    json
      ? jsonLine({ url, apiKey, clientId, adminKey, seed: seed?.file, state: emulator.state?.file })
      : banner(emulator, { seed: seed?.file, users: userLines(await usersIn(seed)) }),
  );
  if (quiet) return;
  for (const environment of [emulator, emulator.production])
    environment.onRequest((request) => print(json ? jsonLine(request) : requestLine(request)));
}

/** Close the emulator on the first signal, or when the reader of its output exits. A second signal kills the process. */
const stopOnSignal = (emulator: Emulator): void => {
  const stop = (): void =>
    void emulator.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(
          `${pc.red('sallyport:')} ${printableLines(error instanceof Error ? error.message : String(error))}\n`,
        );
        process.exit(1);
      },
    );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') stop();
  });
};

/** Warn if other machines can reach the emulator. */
const warnIfExposed = (host: string): void => {
  if (isLoopback(host)) return;
  const lines = [
    `WARNING: the emulator listens on ${host}, so anyone who can reach this machine can use it.`,
    'Its API key is public, and its controls show every code, link and token.',
    'Omit --host to allow only this machine.',
  ];
  for (const line of lines) process.stderr.write(`${pc.yellow('sallyport:')} ${pc.bold(line)}\n`);
};
