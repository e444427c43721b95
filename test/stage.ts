import { createHash, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator, type EmulatorOptions, type Seed } from 'sallyport/emulator';
import { onTestFinished, TestRunner } from 'vitest';
import { parse } from 'yaml';
import { type Send, sender } from './servers/send.js';

type ClientOptions = NonNullable<ConstructorParameters<typeof Sallyport>[0]>;

/** Options of the emulator, and of what uses it. */
export interface StageOptions extends EmulatorOptions {
  /** Listen on a port, for tests that need real HTTP. Without it, requests go to the emulator in this process. */
  readonly listen?: boolean;
  /** Options of the client. */
  readonly client?: ClientOptions;
}

/** What most tests begin with. */
export interface Stage {
  /** An emulator whose clock stands still and whose ids are the same in every run. */
  readonly emulator: Emulator;
  /** A client of it. */
  readonly sallyport: Sallyport;
  /** Send a request without the client, so that a mistake on both sides cannot hide. */
  readonly send: Send;
  /** The events since the start, oldest first. */
  readonly events: readonly { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The types of these events. */
  eventTypes(): string[];
}

let key: string | undefined;

/** A key that signs access tokens. Emulators that share it start in a tenth of the time. */
export const sharedSigningKey = (): string => {
  key ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  return key;
};

/** Start an emulator with a client of it. The emulator is closed when the test ends. */
export async function stage({ listen = false, client, ...options }: StageOptions = {}): Promise<Stage> {
  const emulator = await createEmulator({
    clock: '2026-01-01T00:00:00.000Z',
    ids: 'test',
    signingKey: sharedSigningKey(),
    ...options,
  });
  // A hook that starts an emulator closes it in a hook, too.
  if (TestRunner.getCurrentTest()) onTestFinished(() => emulator.close());
  if (listen) await emulator.listen();
  const transport = listen ? {} : { fetch: emulator.fetch };
  const events: { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  emulator.onEvent((event) => void events.push(event));
  return {
    emulator,
    get sallyport() {
      return new Sallyport({ ...emulator.credentials, ...transport, ...client });
    },
    send: sender(listen ? fetch : emulator.fetch, emulator.url, emulator.credentials.apiKey),
    events,
    eventTypes: () => events.map(({ event }) => event),
  };
}

/** An imported password. The emulator checks it in less time than a password that it hashed with bcrypt. */
export function imported(password: string) {
  const salt = Buffer.from('salt');
  const digest = createHash('sha256').update(password).update(salt).digest();
  const passwordHash = `{SSHA256}${Buffer.concat([digest, salt]).toString('base64')}`;
  return { passwordHash, passwordHashType: 'ssha256' } as const;
}

const inFile: Seed = parse(readFileSync('examples/company.yaml', 'utf8'));

/** The company of `examples/company.yaml`: Northwind with its people, connections, directory and permissions. */
export const company: Seed = {
  ...inFile,
  users: inFile.users?.map(({ password, ...user }) => {
    if (password === undefined) return user;
    const { passwordHash, passwordHashType } = imported(password);
    return { ...user, password_hash: passwordHash, password_hash_type: passwordHashType };
  }),
};
