import { Sallyport } from '../../index.js';
import { type MirrorKind, mirror, type Verified, type VerifyProgress } from '../../mirror/index.js';
import { mirrorsTable } from '../../mirror/tables.js';
import { databaseOf } from '../../streams/once/drivers.js';
import { pc } from '../colours.js';
import { CommandError } from '../command-error.js';
import { openUserDatabase } from '../dead-letters/user-database.js';
import { printable, printableJson } from '../printable.js';

/** Parsed flags of `sallyport mirror`. */
export interface MirrorFlags {
  readonly database?: string;
  readonly prefix?: string;
  readonly repair?: boolean;
  readonly json?: boolean;
}

/** Compare the mirror in the user's database with the service, and return the exit code: 1 if differences remain. */
export async function runMirror(action: string, flags: MirrorFlags): Promise<number> {
  if (action !== 'verify')
    throw new CommandError(`mirror has no action ${JSON.stringify(action)}. Its action is verify.`);
  const { handle, close } = openUserDatabase(flags.database);
  try {
    const { prefix, of } = await mirrorIn(databaseOf(handle).query, flags.prefix);
    const copy = mirror(new Sallyport(), { into: handle, prefix, of, maxLagMs: 60_000 });
    const { repair = false, json = false } = flags;
    // While no other process runs the mirror, this one does. Otherwise it stands by.
    const running = repair ? copy.run() : Promise.resolve();
    const failed = running.then(() => new Promise<never>(() => {}));
    const isTerminal = process.stderr.isTTY && !json;
    const verified = await Promise.race([
      copy.verify({ repair, ...(isTerminal && { onProgress: showProgress }) }),
      failed,
    ]);
    if (isTerminal) process.stderr.write('\r\x1b[K');
    await copy.close();
    print(verified, json);
    return verified.remaining.length === 0 ? 0 : 1;
  } finally {
    await close();
  }
}

type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Find the mirror that `setUp()` has written down. */
async function mirrorIn(query: Query, prefix: string | undefined): Promise<{ prefix: string; of: MirrorKind[] }> {
  const rows = await query(`SELECT prefix, kinds FROM ${mirrorsTable} ORDER BY prefix`).catch(() => []);
  const [row, another] = prefix === undefined ? rows : rows.filter((one) => one.prefix === String(prefix));
  const prefixes = rows.map((one) => printable(String(one.prefix))).join(', ');
  if (!row)
    throw new CommandError(
      rows.length === 0
        ? 'This database has no mirror. Check --database, or call setUp() once in your application.'
        : `This database has no mirror with this prefix. It has mirrors with the prefixes ${prefixes}.`,
    );
  if (another) throw new CommandError(`This database has several mirrors. Pass --prefix with one of ${prefixes}.`);
  // `setUp` has checked the kinds.
  return { prefix: String(row.prefix), of: String(row.kinds).split(' ') as MirrorKind[] };
}

const showProgress = ({ kind, pages, records, leftMs }: VerifyProgress): void => {
  const left = `${Math.ceil(leftMs / 1_000)} s left`;
  process.stderr.write(`\r\x1b[K${kind}: page ${pages}, ${records} records, ${left}`);
};

function print({ records, found, remaining }: Verified, json: boolean): void {
  const lines = json
    ? [printableJson({ records, found, remaining })]
    : [
        ...found.map(({ kind, id, difference }) => `${pc.bold(printable(id))}  ${kind}  ${difference}`),
        `${records} records compared, ${found.length} differences found, ${remaining.length} left.`,
      ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
