import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Emulator, Seed } from '../emulator/index.js';
import { mask } from '../errors/index.js';
import { version } from '../version.js';
import { runApplication } from './application.js';
import { pc } from './colours.js';
import { failedDeliveryLine } from './failed-delivery.js';
import { frameworkOf, manifestIn } from './frameworks.js';
import { printable } from './printable.js';
import { Refusal } from './refusal.js';
import { type EmulatorFlags, startEmulator } from './run-emulator.js';
import { changesText, refusalText } from './seed-texts.js';
import { peopleIn, peopleLines } from './seeded-people.js';
import { stateLine, whatRemains } from './state-texts.js';
import { defaultPort } from './tasks.js';
import { type Name, shell, type Variable, variablesOf } from './variables.js';
import { watchSeed } from './watch-seed.js';

/** The flags of `sallyport dev` as the parser gives them. */
export interface DevFlags extends EmulatorFlags {
  readonly redirectUri?: string | number;
  readonly webhooks?: string | number;
  /** The command that starts the application. */
  readonly '--'?: readonly string[];
}

/** Who can sign in where no seed says so: one who may do everything, and one who may do nothing. */
const ada = { email: 'ada@acme.test', password: 'a quiet harbour at dawn' };
const grace = { ...ada, email: 'grace@acme.test' };
const company: Seed = {
  roles: [
    { slug: 'admin', name: 'Administrator', permissions: ['members:manage', 'reports:read'] },
    { slug: 'member' },
  ],
  organizations: [{ id: 'org_acme', name: 'Acme' }],
  users: [
    { id: 'user_ada', ...ada, first_name: 'Ada', last_name: 'Lovelace', email_verified: true },
    { id: 'user_grace', ...grace, first_name: 'Grace', last_name: 'Hopper', email_verified: true },
  ],
  memberships: [
    { user_id: 'user_ada', organization_id: 'org_acme', role_slug: 'admin' },
    { user_id: 'user_grace', organization_id: 'org_acme', role_slug: 'member' },
  ],
};

/** Run the emulator and an application side by side, until the application ends. Resolves with its exit code. */
export async function runDev(flags: DevFlags): Promise<number> {
  const command = flags['--'] ?? [];
  if (command.length === 0)
    throw new Refusal(
      'dev needs the command that starts your application. Write it after --: sallyport dev -- npm run dev.',
    );
  const set = variablesOf(process.cwd(), process.env);
  const redirectUri = redirectUriOf(flags, set);
  const { emulator, seed, isElsewhere } = await startEmulator(
    flags,
    {
      seed: company,
      // The emulator takes the key and the client id that the application already has.
      apiKey: set.get('SALLYPORT_API_KEY')?.value,
      clientId: set.get('SALLYPORT_CLIENT_ID')?.value,
    },
    {
      redirectUri: redirectUri.value,
      deliveries: {
        // A framework may compile the route before it answers.
        answerWithinMs: 30_000,
        firstWaitMs: 2_000,
        onFailure: (failure) => process.stderr.write(failedDeliveryLine(failure)),
      },
    },
    // A port from the command line is a number, so this is true only without the flag.
    flags.port === defaultPort,
  );
  try {
    const variables = new Map([
      ...complete(set, emulator, redirectUri),
      ...(await webhooksTo(flags, redirectUri, emulator)),
    ]);
    const whom = peopleLines(await peopleIn(seed));
    if (flags.watch && seed)
      watchSeed(emulator, seed, {
        changed: (file, changes) => process.stderr.write(changesText(file, changes)),
        refused: (why) => process.stderr.write(refusalText(why)),
      });
    process.stderr.write(banner(emulator, variables, personLine(seed?.file, whom), command));
    if (isElsewhere)
      process.stderr.write(
        `${pc.yellow('sallyport:')} Port ${defaultPort} is taken, perhaps by another emulator, so this one is at ${emulator.url}.\n\n`,
      );
    for (const warning of await warningsOf(emulator, variables))
      process.stderr.write(`${pc.yellow('sallyport:')} ${warning}\n\n`);
    const values = [...variables].map(([name, { value }]) => [name, value]);
    return await runApplication(command, { ...process.env, ...Object.fromEntries(values) });
  } finally {
    await emulator.close();
  }
}

/** The variables of the project with those that the application needs beside. */
function complete(
  set: ReadonlyMap<string, Variable>,
  { url, credentials, state, env }: Emulator,
  redirectUri: Variable,
): ReadonlyMap<string, Variable> {
  const own = (value: string): Variable => ({ value, source: '' });
  const baseUrl = set.get('SALLYPORT_BASE_URL');
  const needed: Record<Name, Variable> = {
    // Files say where the deployment is; whoever runs this command wants the emulator.
    SALLYPORT_BASE_URL: baseUrl?.source === shell ? baseUrl : own(url),
    SALLYPORT_CLIENT_ID: set.get('SALLYPORT_CLIENT_ID') ?? own(credentials.clientId),
    SALLYPORT_API_KEY: set.get('SALLYPORT_API_KEY') ?? own(credentials.apiKey),
    SALLYPORT_COOKIE_PASSWORD:
      set.get('SALLYPORT_COOKIE_PASSWORD') ??
      own(state ? env.SALLYPORT_COOKIE_PASSWORD : randomBytes(32).toString('base64url')),
    SALLYPORT_REDIRECT_URI: redirectUri,
  };
  return new Map([...set, ...Object.entries(needed)]);
}

/** Where people come back to: what the flag says, what is set, or where the framework of the project listens. */
function redirectUriOf({ redirectUri }: DevFlags, set: ReadonlyMap<string, Variable>): Variable {
  const variable =
    redirectUri === undefined
      ? (set.get('SALLYPORT_REDIRECT_URI') ?? { value: likelyRedirectUri(), source: '' })
      : { value: String(redirectUri), source: '' };
  if (isAddress(variable.value)) return variable;
  const { source } = variable;
  throw new Refusal(
    `${source ? `SALLYPORT_REDIRECT_URI in ${source}` : '--redirect-uri'} must be a whole address, such as http://localhost:3000/callback, not ${JSON.stringify(variable.value)}.`,
  );
}

/** Has events delivered where the flag says; the variable with the secret that signs them. */
async function webhooksTo(
  { webhooks }: DevFlags,
  redirectUri: Variable,
  { fetch, credentials }: Emulator,
): Promise<readonly (readonly [string, Variable])[]> {
  if (webhooks === undefined) return [];
  const answer = await fetch('/webhook_endpoints', {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint_url: new URL(String(webhooks), redirectUri.value), events: [] }),
  });
  const { secret, message } = (await answer.json()) as { readonly secret?: string; readonly message?: string };
  if (secret !== undefined) return [['SALLYPORT_WEBHOOK_SECRET', { value: secret, source: '' }]];
  throw new Refusal(
    `--webhooks must be a path of your application, such as /webhooks, not ${JSON.stringify(webhooks)}. ${message}`,
  );
}

const isAddress = (text: string): boolean => {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
};

function likelyRedirectUri(): string {
  const framework = frameworkOf(manifestIn(process.cwd()) ?? {});
  const port = (framework?.readsPort ?? true) ? process.env.PORT : undefined;
  return `http://localhost:${port || (framework?.port ?? 3000)}/callback`;
}

function personLine(seed: string | undefined, people: readonly string[]): string {
  if (seed === undefined)
    return [
      `Sign in as ${pc.bold(ada.email)} with the password ${pc.bold(ada.password)}`,
      `or with the same as ${pc.bold(grace.email)}, who has no permissions`,
    ].join('\n  ');
  if (people.length === 0) return `${printable(seed)} has no users: sign up, or add users to it`;
  return [`Sign in as one of ${printable(seed)}:`, ...people.map((person) => `  ${person}`)].join('\n  ');
}

/** The value of a variable as it may be printed. */
const shown = (name: string, { value, source }: Variable, state: Emulator['state']): string => {
  if (source && /KEY|PASSWORD|SECRET/.test(name)) return printable(mask(value));
  if (name !== 'SALLYPORT_COOKIE_PASSWORD') return printable(value);
  return state ? 'random, and remembered' : 'random, for this run';
};

const banner = (
  { url, state }: Emulator,
  variables: ReadonlyMap<string, Variable>,
  person: string,
  command: readonly string[],
): string => {
  const width = Math.max(...[...variables.keys()].map((name) => name.length));
  const listOf = (title: string, isWanted: (source: string) => boolean): string => {
    const lines = [...variables]
      .filter(([, { source }]) => isWanted(source))
      .map(([name, variable]) => `    ${pc.dim(printable(name).padEnd(width))}  ${shown(name, variable, state)}\n`);
    return lines.length === 0 ? '' : `  ${title}\n${lines.join('')}\n`;
  };
  const sources = new Set([...variables.values()].map(({ source }) => source).filter((source) => source));
  return [
    `\n${pc.bold('Sallyport emulator')} ${pc.dim(version)} at ${pc.cyan(url)}\n\n`,
    `  ${person}\n`,
    `  What is mailed to people: ${url}/_emulator/inbox\n`,
    `  What your application asks, and what comes of it: ${url}/\n`,
    state ? `  State: ${printable(stateLine(state))}\n\n` : '\n',
    listOf('Set for your application', (source) => !source),
    ...[...sources].map((source) => listOf(`As they are in ${source}`, (one) => one === source)),
    `  Starting ${pc.bold(printable(command.join(' ')))}. ${pc.dim(`Ctrl+C ends both; ${whatRemains(state)}.`)}\n\n`,
  ].join('');
};

/** What is likely to keep people from signing in. */
async function warningsOf({ url }: Emulator, variables: ReadonlyMap<string, Variable>): Promise<readonly string[]> {
  const baseUrl = variables.get('SALLYPORT_BASE_URL')!.value;
  const back = variables.get('SALLYPORT_REDIRECT_URI')!.value;
  const warnings: string[] = [];
  if (baseUrl !== url)
    warnings.push(
      `SALLYPORT_BASE_URL is set to ${printable(baseUrl)} in your shell, so the application talks to that and not to the emulator. Unset it to change this.`,
    );
  if (await listens(new URL(back)))
    warnings.push(
      `Another program already listens at ${new URL(back).origin}, where people come back to after signing in. Stop it, or say by --redirect-uri where your application will be.`,
    );
  return warnings;
}

/** Whether something on this machine listens at an address. */
const listens = ({ hostname, port, protocol }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    if (hostname !== 'localhost' && !hostname.startsWith('127.')) {
      resolve(false);
      return;
    }
    const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
