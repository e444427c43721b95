import { type EmulatorRefusal, unprocessableField } from '../../store/refusal.js';
import type { Entity } from './names.js';

/** Requested names; `*` for all. */
export type Names = readonly string[] | '*';

/**
 * A parsed query. `resources` lists the resources that a subject can access through any of the relations; `subjects` lists the
 * subjects that can access a resource.
 */
export type WarrantQuestion = {
  readonly select: 'resources' | 'subjects';
  /** Types of the results. */
  readonly types: Names;
  readonly relations: Names;
  /** The subject for `resources`, the resource for `subjects`. */
  readonly entity: Entity;
  /** Whether to use only warrants, without the rules of the schema. */
  readonly explicit: boolean;
};

const forms =
  'select <types> where <type>:<id> is <relations>, or select <relations> of type <types> for <type>:<id>; explicit can follow select, and * selects all';

const invalidQuery = (problem: string): EmulatorRefusal =>
  unprocessableField('q', 'invalid_query', `${problem}. A query has the form ${forms}`);

/** Reads the words and commas of a query. */
class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(/,|[^\s,]+/g) ?? [];
  }

  get next(): string | undefined {
    return this.#words[this.#at];
  }

  /** Consume keywords if they are next, ignoring case. */
  takes(...keywords: readonly string[]): boolean {
    if (!keywords.every((keyword, ahead) => this.#words[this.#at + ahead]?.toLowerCase() === keyword)) return false;
    this.#at += keywords.length;
    return true;
  }

  /** Consume the next word. @throws {EmulatorRefusal} 422 at the end of the query. */
  take(expected: string): string {
    const word = this.next;
    if (word === undefined) throw invalidQuery(`ends where ${expected} is expected`);
    this.#at++;
    return word;
  }

  /** Consume names separated by commas, or `*`. */
  names(expected: string): Names {
    if (this.takes('*')) return '*';
    const names: string[] = [];
    do {
      const name = this.take(expected);
      if (!/^[a-zA-Z0-9_-]+$/.test(name)) throw invalidQuery(`has ${JSON.stringify(name)} instead of ${expected}`);
      names.push(name);
    } while (this.takes(','));
    return [...new Set(names)];
  }

  /** Consume a resource such as `user:ada`. */
  entity(expected: string): Entity {
    const word = this.take(expected);
    const [, resourceType, resourceId] = /^([a-zA-Z0-9_-]+):(.+)$/.exec(word) ?? [];
    if (resourceType === undefined || resourceId === undefined || resourceId === '*')
      throw invalidQuery(`has ${JSON.stringify(word)} instead of ${expected}`);
    return { resourceType, resourceId };
  }
}

/** Parse a query. @throws {EmulatorRefusal} 422 that names the problem. */
export function parseWarrantQuery(text: string): WarrantQuestion {
  const words = new Words(text);
  if (!words.takes('select')) throw invalidQuery(`starts with ${JSON.stringify(words.next ?? '')} instead of select`);
  const explicit = words.takes('explicit');
  const selected = words.names('a type or a relation');
  const question = words.takes('where')
    ? whereOf(words, selected, explicit)
    : words.takes('of', 'type')
      ? forOf(words, selected, explicit)
      : undefined;
  if (!question)
    throw invalidQuery(
      words.next === undefined
        ? 'ends where "where" or "of type" is expected'
        : `has ${JSON.stringify(words.next)} instead of "where" or "of type"`,
    );
  if (words.next !== undefined) throw invalidQuery(`has ${JSON.stringify(words.next)} after its end`);
  return question;
}

function whereOf(words: Words, types: Names, explicit: boolean): WarrantQuestion {
  const entity = words.entity('a subject such as user:ada');
  if (!words.takes('is')) throw invalidQuery(`has ${JSON.stringify(words.next ?? '')} instead of "is"`);
  return { select: 'resources', types, relations: words.names('a relation'), entity, explicit };
}

function forOf(words: Words, relations: Names, explicit: boolean): WarrantQuestion {
  const types = words.names('a type');
  if (!words.takes('for')) throw invalidQuery(`has ${JSON.stringify(words.next ?? '')} instead of "for"`);
  return { select: 'subjects', types, relations, entity: words.entity('a resource such as report:7'), explicit };
}
