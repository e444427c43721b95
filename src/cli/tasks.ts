import type { Command } from 'cac';
import pc from 'picocolors';

/** An option as it is typed, what it does, and what holds without it. */
interface TaskOption {
  readonly flags: string;
  readonly description: string;
  readonly default?: string;
}

/** Options that belong to one task, under the words for it. */
export interface Task {
  readonly title: string;
  readonly options: readonly TaskOption[];
}

/** The options of `sallyport emulator`, by what somebody wants to do. */
export const emulatorTasks: readonly Task[] = [
  {
    title: 'Choose where it answers',
    options: [
      { flags: '--port <port>', description: 'Port to listen on; 0 takes any free one', default: '4100' },
      { flags: '--host <host>', description: 'Host to listen on; by default only this machine', default: '127.0.0.1' },
      {
        flags: '--allow-host <name>',
        description: 'Name under which pages open too, such as emulator; may come several times',
      },
      {
        flags: '--public-url <url>',
        description: 'Address at which browsers reach it, behind a proxy or in a container',
      },
    ],
  },
  {
    title: 'Start with data of your own',
    options: [{ flags: '--seed <file>', description: 'YAML or JSON file with what is there from the start' }],
  },
  {
    title: 'Sign people in',
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
    ],
  },
  {
    title: 'Behave like a deployment',
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
    options: [{ flags: '--json', description: 'Print one line of JSON: url, apiKey, clientId' }],
  },
];

const general: Task = {
  title: 'Find your way',
  options: [
    { flags: '-h, --help', description: 'Show this text' },
    { flags: '-v, --version', description: 'Show the version' },
  ],
};

/** Give a command the options of these tasks. */
export const addOptions = (command: Command, tasks: readonly Task[]): Command =>
  tasks
    .flatMap(({ options }) => options)
    .reduce(
      (all, { flags, description, default: value }) => all.option(flags, description, { default: value }),
      command,
    );

/** A part of the help, as the parser prints it. */
interface Section {
  readonly title?: string;
  readonly body: string;
}

/** The help with the options of these tasks, task by task, in place of one list of all. */
export function helpByTask(sections: readonly Section[], tasks: readonly Task[]): Section[] {
  const all = [...tasks, general];
  const width = Math.max(...all.flatMap(({ options }) => options.map(({ flags }) => flags.length)));
  const lineOf = ({ flags, description, default: value }: TaskOption): string =>
    `  ${flags.padEnd(width)}  ${description}${value === undefined ? '' : ` (default: ${value})`}`;
  return [
    ...sections.filter(({ title = '' }) => !/^(?:Options|For more info)/.test(title)),
    ...(sections.some(({ title }) => title === 'Commands')
      ? [{ body: 'Options of sallyport emulator, by what you want to do' }]
      : []),
    ...all.map(({ title, options }) => ({ title, body: options.map(lineOf).join('\n') })),
    { title: 'Print no colours', body: '  Set the environment variable NO_COLOR' },
  ].map(({ title, body }) => (title === undefined ? { body } : { title: pc.bold(title), body }));
}
