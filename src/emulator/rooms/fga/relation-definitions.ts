import type { RelationDefinition, ResourceType } from '../../../service/fga.js';
import type { RequestProblem } from '../../world/refusal.js';

/** The relations of a type; undefined for a type that does not exist. */
export type RelationsOf = (type: string) => Readonly<Record<string, RelationDefinition>> | undefined;

/** What a definition may say; whatever else stands in it would silently decide nothing. */
const fieldNames = ['inherit_if', 'rules', 'of_type', 'with_relation', 'allowed_types'];

/** How `rules` are combined. */
const combinators = ['any_of', 'all_of'];

/** Names that the query language can tell apart. */
const plainName = /^[a-zA-Z0-9_-]+$/;
const plainNameRule = 'must consist of letters, digits, hyphens and underscores';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What is wrong with a type of resource.
 *
 * @param relationsOf The types there are besides. One that does not exist may still come, unless the schema is complete.
 * @param at Where the type stands in the request, `0.`.
 */
export function* objectionsToType(
  { type, relations }: ResourceType,
  relationsOf: RelationsOf,
  complete: boolean,
  at = '',
): Generator<RequestProblem> {
  if (!plainName.test(type)) yield { field: `${at}type`, code: 'invalid_format', message: plainNameRule };
  const reader = new DefinitionReader(type, relations, relationsOf, complete);
  for (const [name, definition] of Object.entries<unknown>(relations)) {
    const field = `${at}relations.${name}`;
    if (!plainName.test(name)) yield { field, code: 'invalid_format', message: plainNameRule };
    if (/^(?:any|all|none)_of$/.test(name))
      yield { field, code: 'reserved_name', message: 'is the name of a combinator and cannot be that of a relation' };
    yield* reader.objections(definition, field, true);
  }
}

class DefinitionReader {
  constructor(
    readonly type: string,
    readonly relations: Readonly<Record<string, unknown>>,
    readonly relationsOf: RelationsOf,
    readonly complete: boolean,
  ) {}

  *objections(definition: unknown, field: string, top: boolean): Generator<RequestProblem> {
    if (!isObject(definition)) {
      yield { field, code: 'invalid_type', message: 'must be an object' };
      return;
    }
    for (const key of Object.keys(definition))
      if (!fieldNames.includes(key))
        yield {
          field: `${field}.${key}`,
          code: 'unknown_field',
          message: `must be left out: the emulator evaluates ${fieldNames.join(', ')}`,
        };
    yield* this.#allowedTypes(definition.allowed_types, `${field}.allowed_types`, top);
    const { inherit_if: inheritIf, rules, of_type: ofType, with_relation: withRelation } = definition;
    if (inheritIf === undefined) {
      if (!top) yield { field: `${field}.inherit_if`, code: 'required', message: 'is required in a rule' };
      for (const key of ['rules', 'of_type', 'with_relation'])
        if (definition[key] !== undefined)
          yield { field: `${field}.${key}`, code: 'invalid_value', message: 'needs inherit_if beside it' };
    } else if (typeof inheritIf !== 'string' || inheritIf === '')
      yield { field: `${field}.inherit_if`, code: 'invalid_type', message: 'must be a string' };
    else if (combinators.includes(inheritIf)) yield* this.#combined(definition, inheritIf, field);
    else if (rules !== undefined || inheritIf === 'none_of')
      yield {
        field: `${field}.inherit_if`,
        code: 'unsupported_combinator',
        message: `must be one of ${combinators.join(', ')} when there are rules, not ${JSON.stringify(inheritIf)}`,
      };
    else if (ofType === undefined && withRelation === undefined) yield* this.#own(inheritIf, `${field}.inherit_if`);
    else yield* this.#inherited(inheritIf, ofType, withRelation, field);
  }

  *#combined(definition: Record<string, unknown>, combinator: string, field: string): Generator<RequestProblem> {
    for (const key of ['of_type', 'with_relation'])
      if (definition[key] !== undefined)
        yield { field: `${field}.${key}`, code: 'invalid_value', message: `belongs into the rules of ${combinator}` };
    const { rules } = definition;
    if (!Array.isArray(rules) || rules.length === 0) {
      yield { field: `${field}.rules`, code: 'required', message: `must be a list of rules for ${combinator}` };
      return;
    }
    for (const [at, rule] of rules.entries()) yield* this.objections(rule, `${field}.rules.${at}`, false);
  }

  /** A relation of the type itself. */
  *#own(relation: string, field: string): Generator<RequestProblem> {
    if (!Object.hasOwn(this.relations, relation)) yield unknownRelation(field, this.type, relation, this.relations);
  }

  /** A relation of the resources that are reached by another one. */
  *#inherited(relation: string, ofType: unknown, withRelation: unknown, field: string): Generator<RequestProblem> {
    for (const [key, value] of Object.entries({ of_type: ofType, with_relation: withRelation }))
      if (typeof value !== 'string' || value === '')
        yield {
          field: `${field}.${key}`,
          code: 'required',
          message: 'must be a string: of_type and with_relation go together',
        };
    if (typeof withRelation === 'string' && withRelation) yield* this.#own(withRelation, `${field}.with_relation`);
    if (typeof ofType !== 'string' || !ofType) return;
    const theirs = this.#relationsOf(ofType);
    if (!theirs) yield* this.#missing(ofType, `${field}.of_type`);
    else if (!Object.hasOwn(theirs, relation)) yield unknownRelation(`${field}.inherit_if`, ofType, relation, theirs);
  }

  *#allowedTypes(types: unknown, field: string, top: boolean): Generator<RequestProblem> {
    if (types === undefined) return;
    if (!top) yield { field, code: 'invalid_value', message: 'belongs to the relation, not to one of its rules' };
    else if (!Array.isArray(types) || types.some((type) => typeof type !== 'string'))
      yield { field, code: 'invalid_type', message: 'must be a list of types' };
    else
      for (const [at, type] of types.entries())
        if (!this.#relationsOf(type)) yield* this.#missing(type, `${field}.${at}`);
  }

  #relationsOf(type: string): Readonly<Record<string, unknown>> | undefined {
    return type === this.type ? this.relations : this.relationsOf(type);
  }

  *#missing(type: string, field: string): Generator<RequestProblem> {
    if (this.complete)
      yield {
        field,
        code: 'unknown_resource_type',
        message: `names a type that is not there: ${JSON.stringify(type)}`,
      };
  }
}

const unknownRelation = (field: string, type: string, relation: string, relations: object): RequestProblem => ({
  field,
  code: 'unknown_relation',
  message: `must be a relation of ${type} (${Object.keys(relations).join(', ') || 'it has none'}), not ${JSON.stringify(relation)}`,
});
