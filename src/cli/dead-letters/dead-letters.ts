import type { Event } from '../../service/events.js';
import { isTableMissing } from '../../streams/infrastructure.js';
import {
  type DeadLetterBox,
  deadLetterBox,
  noSuchLetter,
  type StoredDeadLetter,
} from '../../streams/once/dead-letters.js';
import { databaseOf } from '../../streams/once/drivers.js';
import { tableNames } from '../../streams/once/tables.js';
import { pc } from '../colours.js';
import { CommandError } from '../command-error.js';
import { readFlagFile } from '../flag-file.js';
import { printable, printableJson } from '../printable.js';
import { openUserDatabase } from './user-database.js';

/** Parsed flags of `sallyport dead-letters`. */
export interface DeadLetterFlags {
  readonly database?: string;
  readonly name?: string;
  readonly prefix?: string;
  readonly limit?: string;
  readonly after?: string;
  readonly all?: boolean;
  readonly with?: string;
  readonly json?: boolean;
}

type Action = (box: DeadLetterBox, id: string, flags: DeadLetterFlags) => Promise<void>;

const actions: Readonly<Record<string, Action>> = {
  async list(box, _id, { limit = 50, after, json }) {
    const maxCount = Number(limit);
    if (!Number.isInteger(maxCount) || maxCount < 1)
      throw new CommandError('--limit must be a whole number, at least 1.');
    const letters = await box.list({ limit: maxCount, after: after === undefined ? undefined : String(after) });
    if (json) for (const { event: _, ...letter } of letters) print(printableJson(letter));
    else if (letters.length === 0) print('No dead letters.');
    else for (const letter of letters) print(lineOf(letter));
    if (!json && letters.length === maxCount)
      print(pc.dim(`There may be more. To continue, add --after ${printable(letters.at(-1)!.id)}`));
  },
  async show(box, id) {
    const letter = await box.get(id);
    if (!letter) throw noSuchLetter(id);
    print(printableJson(letter, 2));
  },
  async replay(box, id, { all, with: file }) {
    if (all !== true && id === '') throw new CommandError('Pass the id of a dead letter, or --all.');
    const edited = readFlagFile('--with', file);
    if (edited !== undefined) {
      if (all) throw new CommandError('--with replaces the event of one dead letter. Pass its id instead of --all.');
      await box.edit(id, eventIn(edited));
    }
    const marked = await box.mark(all ? 'all' : id);
    if (marked === 0 && !all) throw noSuchLetter(id);
    print(
      marked === 0
        ? 'No dead letters.'
        : `Marked ${marked === 1 ? '1 dead letter' : `${marked} dead letters`}. Your worker replays marked letters the next time it handles an event or calls replayMarked().`,
    );
  },
  async remove(box, id) {
    if (!(await box.remove(id))) throw noSuchLetter(id);
    print(`Removed ${id}.`);
  },
};

/** Run a `dead-letters` action on the user's database, and return the exit code. */
export async function runDeadLetters(
  actionName: string,
  id: string | undefined,
  flags: DeadLetterFlags,
): Promise<number> {
  const action = Object.hasOwn(actions, actionName) ? actions[actionName] : undefined;
  if (!action)
    throw new CommandError(
      `dead-letters has no action ${JSON.stringify(actionName)}. Its actions are ${Object.keys(actions).join(', ')}.`,
    );
  if (id === undefined && actionName !== 'list' && actionName !== 'replay')
    throw new CommandError(
      `${actionName} needs the id of a dead letter: sallyport dead-letters ${actionName} event_….`,
    );
  const { name = 'default', prefix } = flags;
  const names = tableNames(prefix === undefined ? undefined : String(prefix));
  const { handle, close } = openUserDatabase(flags.database);
  try {
    await action(deadLetterBox(databaseOf(handle), names, String(name), Date.now), id ?? '', flags);
  } catch (error) {
    throw isTableMissing(error)
      ? new CommandError(
          `This database has no table ${names.deadLetters}. Check --database and --prefix, or call setUp() once in your application.`,
        )
      : error;
  } finally {
    await close();
  }
  return 0;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Format a dead letter as one line. Omits the event, which may contain personal data. */
const lineOf = ({ id, type, error, attempts, failedAt, isMarked }: StoredDeadLetter): string => {
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const [first = ''] = error.split('\n');
  const what = `${pc.bold(printable(id))}  ${printable(type)}  failed ${times}, last at ${printable(failedAt)}`;
  return `${what}${isMarked ? ', marked for replay' : ''}  ${pc.red(printable(first))}`;
};

/** The event in the JSON that `show` prints. */
function eventIn(json: string): Event {
  try {
    // `box.edit` validates the event.
    return (JSON.parse(json) as StoredDeadLetter).event;
  } catch {
    throw new CommandError('The file of --with is not valid JSON. Nothing was changed.');
  }
}
