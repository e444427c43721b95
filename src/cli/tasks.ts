import type { Command } from 'cac';
import { pc } from './colours.js';

/** An option as it is typed, what it does, and what holds without it. */
interface TaskOption {
  readonly flags: string;
  readonly description: string;
  readonly default?: string;
  /** What the parser gives where the option is not there; for one that undoes another, which would be `true` by default. */
  readonly unset?: string;
}

/** Where an emulator listens by default. */
export const defaultPort = '4100';

/** A command of `sallyport`. */
export type CommandName = 'init' | 'dev' | 'emulator' | 'dead-letters';

/** What each command is for. */
export const purposes: Readonly<Record<CommandName, string>> = {
  init: 'Set up signing in for the project in this folder',
  dev: 'Run your application and an emulator of the service together, ready to sign in',
  emulator: 'Run a local emulator of the service',
  'dead-letters': 'Look after events that your handler failed at',
};

/** Options that belong to one task, under the words for it. */
interface Task {
  readonly title: string;
  readonly commands: readonly CommandName[];
  readonly options: readonly TaskOption[];
}

const ofEmulator = ['dev', 'emulator'] as const;

/** The options of all commands, by what somebody wants to do. */
const tasks: readonly Task[] = [
  {
    title: 'Decide what is written',
    commands: ['init'],
    options: [
      { flags: '--dry-run', description: 'Write nothing, and show what would be' },
      { flags: '--force', description: 'Replace files of the same name without asking' },
      { flags: '--framework <name>', description: 'Framework of the project; by default as package.json says' },
      { flags: '--no-install', description: 'Leave it to you to install sallyport where the project has it not' },
    ],
  },
  {
    title: 'Have people and events come to your application',
    commands: ['dev'],
    options: [
      {
        flags: '--redirect-uri <url>',
        description: 'Where its callback is; by default where its framework listens, at /callback',
      },
      {
        flags: '--webhooks <path>',
        description: 'Where it takes webhooks, such as /webhooks; sets SALLYPORT_WEBHOOK_SECRET',
      },
    ],
  },
  {
    title: 'Choose where it answers',
    commands: ofEmulator,
    options: [
      { flags: '--port <port>', description: 'Port to listen on; 0 takes any free one', default: defaultPort },
      { flags: '--host <host>', description: 'Host to listen on; by default only this machine', default: '127.0.0.1' },
      {
        flags: '--allow-host <name>',
        description: 'Name under which pages open too, such as emulator; may come several times',
      },
      {
        flags: '--public-url <url>',
        description: 'Address at which browsers reach it, behind a proxy or in a container',
      },
      { flags: '--https-cert <file>', description: 'Speak HTTPS by this certificate, in PEM' },
      { flags: '--https-key <file>', description: 'The private key of that certificate, in PEM' },
    ],
  },
  {
    title: 'Start with data of your own',
    commands: ofEmulator,
    options: [
      {
        flags: '--seed <file>',
        description: 'YAML, JSON, .ts or .js file with what is there; by default sallyport.seed.*',
      },
      { flags: '--no-seed', description: 'Start without the sallyport.seed.* of this folder', unset: '' },
      { flags: '--watch', description: 'Start over whenever the seed file changes, and say what changed' },
    ],
  },
  {
    title: 'Go on where it ended',
    commands: ofEmulator,
    options: [
      {
        flags: '--state <file>',
        description: 'File in which it remembers everything; a seed is planted only when the file is new',
      },
    ],
  },
  {
    title: 'Sign people in',
    commands: ofEmulator,
    options: [
      { flags: '--application-name <name>', description: 'What the pages call your application; by default its host' },
      {
        flags: '--auto-approve',
        description: 'Sign in at once whom an authorization URL names by login_hint, without a page',
      },
      {
        flags: '--issuer <issuer>',
        description: 'Who issues access tokens (iss); by default its own address with the client id',
      },
      { flags: '--access-token-seconds <seconds>', description: 'How long an access token works; by default 300' },
      {
        flags: '--signing-key <file>',
        description: 'Private RSA key that signs access tokens, as PEM or JWK; by default a new one',
      },
    ],
  },
  {
    title: 'Behave like a deployment',
    commands: ofEmulator,
    options: [
      {
        flags: '--dialect <name>',
        description: 'Names that vary between deployments: spec or workos',
        default: 'spec',
      },
      { flags: '--rate-limits', description: 'Refuse requests beyond the published rate limits with 429' },
    ],
  },
  {
    title: 'Use it in scripts',
    commands: ['emulator'],
    options: [
      {
        flags: '--admin-key <key>',
        description: 'Administrator key, which makes worlds beside its own: ak_…; random by default',
      },
      {
        flags: '--json',
        description: 'Print JSON: url, apiKey, clientId and adminKey, then a line for each request',
      },
      { flags: '--quiet', description: 'Print no line for a request' },
    ],
  },
  {
    title: 'Say where they are',
    commands: ['dead-letters'],
    options: [
      { flags: '--database <url>', description: 'URL of PostgreSQL or file of SQLite; by default DATABASE_URL' },
      { flags: '--name <name>', description: 'Whose they are, as name of exactlyOnce says', default: 'default' },
      { flags: '--prefix <prefix>', description: 'How the tables begin', default: 'sallyport_' },
    ],
  },
  {
    title: 'List dead letters',
    commands: ['dead-letters'],
    options: [
      { flags: '--limit <number>', description: 'How many at most', default: '50' },
      { flags: '--after <id>', description: 'Only those after this one' },
      { flags: '--json', description: 'Print a line of JSON for each' },
    ],
  },
  {
    title: 'Edit and replay them',
    commands: ['dead-letters'],
    options: [
      { flags: '--file <file>', description: 'Take the edited event from a file; by default your editor opens' },
      { flags: '--stdin', description: 'Take the edited event from standard input' },
      { flags: '--all', description: 'Replay all of them' },
    ],
  },
];

const general: Omit<Task, 'commands'> = {
  title: 'Find your way',
  options: [
    { flags: '-h, --help', description: 'Show this text; sallyport help dev shows the options of dev alone' },
    { flags: '-v, --version', description: 'Show the version' },
  ],
};

const tasksOf = (name: string | undefined): readonly Task[] =>
  tasks.filter(({ commands }) => name === undefined || commands.some((one) => one === name));

/** The options of a command, or the general ones without a command, as the user types them. */
export const optionsOf = (name: string | undefined): string[] =>
  [...(name === undefined ? [] : tasksOf(name)), general]
    .flatMap(({ options }) => options)
    .flatMap(({ flags }) => flags.match(/--[\w-]+/g) ?? []);

/** Give a command its options. */
export const addOptions = (command: Command, name: CommandName): Command =>
  tasksOf(name)
    .flatMap(({ options }) => options)
    .reduce(
      (all, { flags, description, default: value, unset }) =>
        all.option(flags, description, { default: value ?? unset }),
      command,
    );

/** A part of the help, as the parser prints it. */
interface Section {
  readonly title?: string;
  readonly body: string;
}

/** The help of a command, or that of all, with the options task by task in place of one list. */
export function helpOf(sections: readonly Section[], name: string | undefined): Section[] {
  const shown = tasksOf(name);
  const width = Math.max(...[...shown, general].flatMap(({ options }) => options.map(({ flags }) => flags.length)));
  const lineOf = ({ flags, description, default: value }: TaskOption): string =>
    `  ${flags.padEnd(width)}  ${description}${value === undefined ? '' : ` (default: ${value})`}`;
  const sectionOf = ({ title, options }: Pick<Task, 'title' | 'options'>): Section => ({
    title,
    body: options.map(lineOf).join('\n'),
  });
  const ownersOf = (task: Task | undefined): string | undefined =>
    task?.commands.map((one) => `sallyport ${one}`).join(' and ');
  return [
    ...sections.filter(({ title = '' }) => !/^(?:Options|For more info)/.test(title)),
    ...shown.flatMap((task, at) => {
      const owners = ownersOf(task);
      const isNew = name === undefined && owners !== ownersOf(shown[at - 1]);
      return [...(isNew ? [{ body: `Options of ${owners}, by what you want to do` }] : []), sectionOf(task)];
    }),
    sectionOf(general),
    { title: 'Print no colours', body: '  Set the environment variable NO_COLOR' },
  ].map(({ title, body }) => (title === undefined ? { body } : { title: pc.bold(title), body }));
}
