import { type Refusal, unprocessableField } from '../../world/refusal.js';
import type { Entity } from './names.js';

/** Names that are asked for; `*` for any. */
export type Names = readonly string[] | '*';

/**
 * A question for many answers. `resources`: what the subject has one of the relations to. `subjects`: who has one of the
 * relations to the resource.
 */
export type WarrantQuestion = {
  readonly select: 'resources' | 'subjects';
  /** Types of what is found. */
  readonly types: Names;
  readonly relations: Names;
  /** The subject, or the resource. */
  readonly entity: Entity;
  /** Only what warrants say, without what follows by the rules of the schema. */
  readonly explicit: boolean;
};

const forms =
  'select <types> where <type>:<id> is <relations>, or select <relations> of type <types> for <type>:<id>; explicit may follow select, and * stands for all';

const notUnderstood = (problem: string): Refusal =>
  unprocessableField('q', 'invalid_query', `${problem}. A query has the form ${forms}`);

/** Words, names and commas, one after the other. */
class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.match(/,|[^\s,]+/g) ?? [];
  }

  get next(): string | undefined {
    return this.#words[this.#at];
  }

  /** Take a keyword, in any case, if it is next. */
  takes(...keywords: readonly string[]): boolean {
    if (!keywords.every((keyword, ahead) => this.#words[this.#at + ahead]?.toLowerCase() === keyword)) return false;
    this.#at += keywords.length;
    return true;
  }

  /** Take whatever is next. @throws {Refusal} 422 when nothing is left. */
  take(expected: string): string {
    const word = this.next;
    if (word === undefined) throw notUnderstood(`ends where ${expected} should follow`);
    this.#at++;
    return word;
  }

  /** Take names between commas, or a star. */
  names(expected: string): Names {
    if (this.takes('*')) return '*';
    const names: string[] = [];
    do {
      const name = this.take(expected);
      if (!/^[a-zA-Z0-9_-]+$/.test(name))
        throw notUnderstood(`has ${JSON.stringify(name)} where ${expected} should stand`);
      names.push(name);
    } while (this.takes(','));
    return [...new Set(names)];
  }

  /** Take a resource, `user:ada`. */
  entity(expected: string): Entity {
    const word = this.take(expected);
    const [, resourceType, resourceId] = /^([a-zA-Z0-9_-]+):(.+)$/.exec(word) ?? [];
    if (resourceType === undefined || resourceId === undefined || resourceId === '*')
      throw notUnderstood(`has ${JSON.stringify(word)} where ${expected} should stand, such as user:ada`);
    return { resourceType, resourceId };
  }
}

/** Read a question in the query language. @throws {Refusal} 422 that names what is not understood. */
export function parseWarrantQuery(text: string): WarrantQuestion {
  const words = new Words(text);
  if (!words.takes('select')) throw notUnderstood(`starts with ${JSON.stringify(words.next ?? '')} instead of select`);
  const explicit = words.takes('explicit');
  const selected = words.names('a type or a relation');
  const question = words.takes('where')
    ? whereOf(words, selected, explicit)
    : words.takes('of', 'type')
      ? forOf(words, selected, explicit)
      : undefined;
  if (!question)
    throw notUnderstood(
      words.next === undefined
        ? 'ends where where or of type should follow'
        : `has ${JSON.stringify(words.next)} where where or of type should stand`,
    );
  if (words.next !== undefined) throw notUnderstood(`goes on with ${JSON.stringify(words.next)} where it should end`);
  return question;
}

function whereOf(words: Words, types: Names, explicit: boolean): WarrantQuestion {
  const entity = words.entity('a subject');
  if (!words.takes('is')) throw notUnderstood(`has ${JSON.stringify(words.next ?? '')} where is should stand`);
  return { select: 'resources', types, relations: words.names('a relation'), entity, explicit };
}

function forOf(words: Words, relations: Names, explicit: boolean): WarrantQuestion {
  const types = words.names('a type');
  if (!words.takes('for')) throw notUnderstood(`has ${JSON.stringify(words.next ?? '')} where for should stand`);
  return { select: 'subjects', types, relations, entity: words.entity('a resource'), explicit };
}
