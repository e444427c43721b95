import type { RelationDefinition, ResourceType } from '../../../service/fga.js';
import type { RequestProblem } from '../../store/refusal.js';

/** Returns the relations of a type, or undefined if the type does not exist. */
type RelationsOf = (type: string) => Readonly<Record<string, RelationDefinition>> | undefined;

/** The supported fields of a definition. Other fields are refused instead of being silently ignored. */
const fieldNames = ['inherit_if', 'rules', 'of_type', 'with_relation', 'allowed_types'];

/** Values of `inherit_if` that combine `rules`. */
const combinators = ['any_of', 'all_of'];

/** Names that are allowed in the query language. */
const plainName = /^[a-zA-Z0-9_-]+$/;
const plainNameRule = 'must consist of letters, digits, hyphens and underscores';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Find the problems of a resource type.
 *
 * @param relationsOf Looks up the other types.
 * @param complete Whether the schema is complete. If not, missing types may be created later.
 * @param at Path of the type in the request, such as `0.`.
 */
export function* typeProblems(
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
      yield { field, code: 'reserved_name', message: 'is reserved for combining rules' };
    yield* reader.problems(definition, field, true);
  }
}

class DefinitionReader {
  constructor(
    readonly type: string,
    readonly relations: Readonly<Record<string, unknown>>,
    readonly relationsOf: RelationsOf,
    readonly complete: boolean,
  ) {}

  *problems(definition: unknown, field: string, top: boolean): Generator<RequestProblem> {
    if (!isObject(definition)) {
      yield { field, code: 'invalid_type', message: 'must be an object' };
      return;
    }
    for (const key of Object.keys(definition))
      if (!fieldNames.includes(key))
        yield {
          field: `${field}.${key}`,
          code: 'unknown_field',
          message: `is not supported: the emulator evaluates ${fieldNames.join(', ')}`,
        };
    yield* this.#allowedTypes(definition.allowed_types, `${field}.allowed_types`, top);
    const { inherit_if: inheritIf, rules, of_type: ofType, with_relation: withRelation } = definition;
    if (inheritIf === undefined) {
      if (!top) yield { field: `${field}.inherit_if`, code: 'required', message: 'is required in a rule' };
      for (const key of ['rules', 'of_type', 'with_relation'])
        if (definition[key] !== undefined)
          yield { field: `${field}.${key}`, code: 'invalid_value', message: 'requires inherit_if' };
    } else if (typeof inheritIf !== 'string' || inheritIf === '')
      yield { field: `${field}.inherit_if`, code: 'invalid_type', message: 'must be a string' };
    else if (combinators.includes(inheritIf)) yield* this.#combined(definition, inheritIf, field);
    else if (rules !== undefined || inheritIf === 'none_of')
      yield {
        field: `${field}.inherit_if`,
        code: 'unsupported_combinator',
        message: `must be ${combinators.join(' or ')} if there are rules, not ${JSON.stringify(inheritIf)}`,
      };
    else if (ofType === undefined && withRelation === undefined)
      yield* this.#ownRelation(inheritIf, `${field}.inherit_if`);
    else yield* this.#inherited(inheritIf, ofType, withRelation, field);
  }

  *#combined(definition: Record<string, unknown>, combinator: string, field: string): Generator<RequestProblem> {
    for (const key of ['of_type', 'with_relation'])
      if (definition[key] !== undefined)
        yield { field: `${field}.${key}`, code: 'invalid_value', message: `must go inside the rules of ${combinator}` };
    const { rules } = definition;
    if (!Array.isArray(rules) || rules.length === 0) {
      yield { field: `${field}.rules`, code: 'required', message: `must be a list of rules for ${combinator}` };
      return;
    }
    for (const [at, rule] of rules.entries()) yield* this.problems(rule, `${field}.rules.${at}`, false);
  }

  /** Check a reference to a relation of the same type. */
  *#ownRelation(relation: string, field: string): Generator<RequestProblem> {
    if (!Object.hasOwn(this.relations, relation)) yield unknownRelation(field, this.type, relation, this.relations);
  }

  /** Check a reference to a relation of related resources. */
  *#inherited(relation: string, ofType: unknown, withRelation: unknown, field: string): Generator<RequestProblem> {
    for (const [key, value] of Object.entries({ of_type: ofType, with_relation: withRelation }))
      if (typeof value !== 'string' || value === '')
        yield {
          field: `${field}.${key}`,
          code: 'required',
          message: 'must be a string: of_type and with_relation require each other',
        };
    if (typeof withRelation === 'string' && withRelation)
      yield* this.#ownRelation(withRelation, `${field}.with_relation`);
    if (typeof ofType !== 'string' || !ofType) return;
    const relations = this.#relationsOf(ofType);
    if (!relations) yield* this.#missing(ofType, `${field}.of_type`);
    else if (!Object.hasOwn(relations, relation))
      yield unknownRelation(`${field}.inherit_if`, ofType, relation, relations);
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
        message: `must be a resource type that exists, not ${JSON.stringify(type)}`,
      };
  }
}

const unknownRelation = (field: string, type: string, relation: string, relations: object): RequestProblem => ({
  field,
  code: 'unknown_relation',
  message: `must be a relation of ${type} (${Object.keys(relations).join(', ') || 'it has none'}), not ${JSON.stringify(relation)}`,
});
