import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Event } from '../service/events.js';
import {
  type DeadLetterBox,
  deadLetterBox,
  noSuchLetter,
  type StoredDeadLetter,
} from '../streams/once/dead-letters.js';
import { databaseOf } from '../streams/once/recognize.js';
import { tableNames } from '../streams/once/tables.js';
import { pc } from './colours.js';
import { fileOfFlag } from './flag-file.js';
import { printable, printableJson } from './printable.js';
import { Refusal } from './refusal.js';
import { openUserDatabase } from './user-database.js';

/** The flags of `sallyport dead-letters` as the parser gives them. */
export interface DeadLetterFlags {
  readonly database?: string | number;
  readonly name?: string | number;
  readonly prefix?: string | number;
  readonly limit?: string | number;
  readonly after?: string | number;
  readonly all?: boolean;
  readonly file?: string | number;
  readonly stdin?: boolean;
  readonly json?: boolean;
}

type Action = (box: DeadLetterBox, id: string, flags: DeadLetterFlags) => Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  async list(box, _id, { limit = 50, after, json }) {
    const most = Number(limit);
    if (!Number.isInteger(most) || most < 1) throw new Refusal('--limit must be a whole number from 1.');
    const letters = await box.list({ limit: most, after: after === undefined ? undefined : String(after) });
    if (json) for (const { event: _, ...letter } of letters) say(printableJson(letter));
    else if (letters.length === 0) say('There are no dead letters.');
    else for (const letter of letters) say(lineOf(letter));
    if (!json && letters.length === most) say(pc.dim(`There may be more: --after ${printable(letters.at(-1)!.id)}`));
  },
  async show(box, id) {
    const letter = await box.get(id);
    if (!letter) throw noSuchLetter(id);
    say(printableJson(letter, 2));
  },
  async edit(box, id, { file, stdin }) {
    const letter = await box.get(id);
    if (!letter) throw noSuchLetter(id);
    const before = `${printableJson(letter.event, 2)}\n`;
    const after = stdin ? await text(process.stdin) : (fileOfFlag('--file', file) ?? edited(before));
    if (after === before) {
      say('Nothing was changed.');
      return;
    }
    await box.edit(id, parsed(after));
    say(`Changed ${id}. Run sallyport dead-letters replay ${id} to have it applied.`);
  },
  async replay(box, id, { all }) {
    if (all !== true && id === '') throw new Refusal('Say which dead letter: its id, or --all.');
    const marked = await box.mark(all ? 'all' : id);
    if (marked === 0 && !all) throw noSuchLetter(id);
    say(
      marked === 0
        ? 'There are no dead letters.'
        : `Marked ${marked === 1 ? '1 dead letter' : `${marked} dead letters`}. Your worker, which has the handlers, applies marked letters when it handles an event or calls replayMarked().`,
    );
  },
  async remove(box, id) {
    if (!(await box.remove(id))) throw noSuchLetter(id);
    say(`Removed ${id}.`);
  },
};

/** Look after the dead letters in a database of the user's. Resolves with the exit code. */
export async function runDeadLetters(what: string, id: string | undefined, flags: DeadLetterFlags): Promise<number> {
  const action = Object.hasOwn(actions, what) ? actions[what] : undefined;
  if (!action) throw new Refusal(`dead-letters can ${Object.keys(actions).join(', ')}, not ${JSON.stringify(what)}.`);
  if (id === undefined && what !== 'list' && what !== 'replay')
    throw new Refusal(`Say which dead letter: sallyport dead-letters ${what} event_…`);
  const { name = 'default', prefix } = flags;
  const names = tableNames(prefix === undefined ? undefined : String(prefix));
  const { handle, close } = openUserDatabase(flags.database);
  try {
    await action(deadLetterBox(databaseOf(handle), names, String(name), Date.now), id ?? '', flags);
  } catch (error) {
    throw isTableMissing(error)
      ? new Refusal(
          `There is no table ${names.deadLetters} in this database. Check --database and --prefix, or have your application call setUp() once.`,
        )
      : error;
  } finally {
    await close();
  }
  return 0;
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** One line about a letter, without its event, which holds personal data. */
const lineOf = ({ id, type, error, attempts, failedAt, isMarked }: StoredDeadLetter): string => {
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const [first = ''] = error.split('\n');
  const what = `${pc.bold(printable(id))}  ${printable(type)}  failed ${times}, last ${printable(failedAt)}`;
  return `${what}${isMarked ? ', to be replayed' : ''}  ${pc.red(printable(first))}`;
};

/** What an event becomes in the editor of the user. */
function edited(before: string): string {
  const { VISUAL, EDITOR = 'vi' } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-'));
  const file = join(folder, 'event.json');
  try {
    writeFileSync(file, before, { mode: 0o600 });
    // The variable may hold options too, as in `code --wait`.
    const { status } = spawnSync(`${VISUAL || EDITOR} ${JSON.stringify(file)}`, { stdio: 'inherit', shell: true });
    if (status !== 0) throw new Refusal('The editor ended with an error, and nothing was changed.');
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function parsed(json: string): Event {
  try {
    // What it is lacks only its check, which `edit` makes.
    return JSON.parse(json) as Event;
  } catch {
    throw new Refusal('The edited event must be JSON, and nothing was changed.');
  }
}

const isTableMissing = (error: unknown): boolean => {
  const { code, message = '' } = Object(error) as { readonly code?: unknown; readonly message?: string };
  return code === '42P01' || /no such table/.test(message);
};
