import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError } from '../command-error.js';
import type { MakingOperation } from './allowed.js';

/** The environment of a run. */
export interface Place {
  readonly baseUrl: string;
  readonly clientId: string;
}

/** An object that a run has made, or was about to make. */
export interface Made {
  readonly number: number;
  readonly operation: MakingOperation;
  /** How the dashboard shows it. */
  readonly name: string;
  /** Undefined if the process ended before the service answered. */
  readonly id?: string;
}

type Line = Made | { readonly removed: number };

/**
 * Return the file for an environment. It is in the user's home, because `--clean` deletes what it names: in a folder of a project, it
 * could come with the project.
 */
export function ledgerFile({ baseUrl, clientId }: Place, env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_STATE_HOME || env.LOCALAPPDATA || join(homedir(), '.local', 'state');
  const name = createHash('sha256').update(`${baseUrl} ${clientId}`).digest('hex').slice(0, 16);
  return join(folder, 'sallyport', `check-${name}.jsonl`);
}

/**
 * A record of what a run makes. Each line is in the file before the request is sent, so that the next run knows what a killed one has
 * left. The file contains ids and names, no secret.
 */
export class Ledger {
  readonly #made = new Map<number, Made>();
  #count = 0;
  private constructor(readonly file: string) {}

  /** Start the ledger of a run. @throws {CommandError} The file exists or cannot be written. */
  static start(file: string): Ledger {
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    } catch (error) {
      throw new CommandError(
        `The check could not note what it makes, so it has made nothing: ${(error as Error).message}. Set XDG_STATE_HOME to a folder that you can write to.`,
      );
    }
    return new Ledger(file);
  }

  /** Read the ledger of a run that did not remove everything. */
  static left(file: string): Ledger | undefined {
    if (!existsSync(file)) return undefined;
    const ledger = new Ledger(file);
    for (const line of readFileSync(file, 'utf8').split('\n').flatMap(parsed)) {
      if ('removed' in line) ledger.#made.delete(line.removed);
      else ledger.#made.set(line.number, line);
    }
    return ledger;
  }

  /** Note that an object is about to be made. Returns a function that notes its id. */
  plan(operation: MakingOperation, name: string): { readonly made: Made; readonly note: (id: string) => void } {
    this.#count += 1;
    const made = { number: this.#count, operation, name };
    this.#note(made);
    return { made, note: (id) => this.#note({ ...made, id }) };
  }

  /** Note that nothing was made, or that it is gone. */
  remove({ number }: Made): void {
    this.#made.delete(number);
    appendFileSync(this.file, `${JSON.stringify({ removed: number })}\n`);
  }

  /** Whether this run has made the object with this id. */
  has(id: string): boolean {
    return [...this.#made.values()].some((made) => made.id === id);
  }

  /** List what exists, or may exist, newest first. */
  left(): readonly Made[] {
    return [...this.#made.values()].reverse();
  }

  /** Delete the file if nothing is left. */
  close(): void {
    if (this.#made.size === 0) rmSync(this.file, { force: true });
  }

  #note(made: Made): void {
    this.#made.set(made.number, made);
    appendFileSync(this.file, `${JSON.stringify(made)}\n`);
  }
}

/** Parse a line. The last one is incomplete if the process was killed while it was written. */
function parsed(line: string): Line[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
