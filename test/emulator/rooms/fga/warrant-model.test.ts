import { describe, expect, test } from 'vitest';
import { evaluate, type Scope, type WarrantReader } from '../../../../src/emulator/rooms/fga/engine.js';
import { type Entity, entityName, grantName, type Relationship } from '../../../../src/emulator/rooms/fga/names.js';
import type { RelationDefinition } from '../../../../src/service/fga.js';
import fc, { runs } from '../../../runner/property.js';

type Schema = Readonly<Record<string, Readonly<Record<string, RelationDefinition>>>>;

/** Facts with an index, and the number of lookups in them. */
function facts(schema: Schema, warrants: readonly Relationship[]) {
  let lookups = 0;
  const index = new Map<string, Relationship[]>();
  const onEvery = new Set(warrants.flatMap(({ resourceType, resourceId }) => (resourceId === '*' ? resourceType : [])));
  for (const warrant of warrants) {
    const name = grantName(warrant, warrant.relation);
    const own = index.get(name);
    if (own) own.push(warrant);
    else index.set(name, [warrant]);
  }
  const on = (resource: Entity, relation: string): readonly Relationship[] => {
    lookups++;
    return index.get(grantName(resource, relation)) ?? [];
  };
  const known: WarrantReader = {
    definition: (type, relation) => schema[type]?.[relation],
    warrant: (resource, relation, who) =>
      [...on(resource, relation), ...on({ ...resource, resourceId: '*' }, relation)].find(
        ({ subject }) => !subject.relation && entityName(subject) === entityName(who),
      ),
    everyOf: ({ resourceType, resourceId }) =>
      resourceId === '*' || !onEvery.has(resourceType) ? undefined : { resourceType, resourceId: '*' },
    groupWarrants: (resource, relation) => on(resource, relation).filter(({ subject }) => subject.relation),
    warrantsOfType: (resource, relation, type) =>
      on(resource, relation).filter(({ subject }) => !subject.relation && subject.resourceType === type),
  };
  return { known, lookups: () => lookups };
}

const entity = (resourceType: string, id: number | string): Entity => ({ resourceType, resourceId: String(id) });

/**
 * The relations of one subject to resources with these ids, found without a search: apply every warrant and every rule until nothing
 * changes.
 */
function modelOf(schema: Schema, ids: readonly string[], warrants: readonly Relationship[], who: Entity, scope: Scope) {
  const held = new Set<string>();
  const on = (type: string, id: string, relation: string): readonly Relationship[] =>
    warrants.filter(
      (one) =>
        one.resourceType === type && one.relation === relation && (one.resourceId === id || one.resourceId === '*'),
    );
  const follows = (type: string, id: string, rule: RelationDefinition): boolean => {
    const { inherit_if: inheritIf, rules = [], of_type: ofType, with_relation: through } = rule;
    if (inheritIf === undefined) return false;
    if (inheritIf === 'any_of') return rules.some((one) => follows(type, id, one));
    if (inheritIf === 'all_of') return rules.every((one) => follows(type, id, one));
    if (!ofType || !through) return held.has(`${type}:${id}#${inheritIf}`);
    return on(type, id, through).some(
      ({ subject }) =>
        !subject.relation &&
        subject.resourceType === ofType &&
        held.has(`${ofType}:${subject.resourceId}#${inheritIf}`),
    );
  };
  for (let before = -1; before < held.size; ) {
    before = held.size;
    for (const [type, relations] of Object.entries(schema))
      for (const [relation, rule] of Object.entries(relations))
        for (const id of ids) {
          const isGranted = on(type, id, relation).some(({ subject }) =>
            subject.relation
              ? held.has(`${subject.resourceType}:${subject.resourceId}#${subject.relation}`)
              : subject.resourceType === who.resourceType && subject.resourceId === who.resourceId,
          );
          if (isGranted || (scope === 'everything' && follows(type, id, rule))) held.add(`${type}:${id}#${relation}`);
        }
  }
  return held;
}

describe('a warrant evaluation', () => {
  const schema: Schema = {
    user: {},
    team: { member: {}, lead: { inherit_if: 'member' } },
    page: {
      parent: {},
      approved: {},
      owner: {},
      editor: {
        inherit_if: 'any_of',
        rules: [{ inherit_if: 'owner' }, { inherit_if: 'editor', of_type: 'page', with_relation: 'parent' }],
      },
      publisher: {
        inherit_if: 'all_of',
        rules: [
          { inherit_if: 'editor' },
          { inherit_if: 'approved' },
          { inherit_if: 'member', of_type: 'team', with_relation: 'owner' },
        ],
      },
      viewer: {
        inherit_if: 'any_of',
        rules: [{ inherit_if: 'publisher' }, { inherit_if: 'viewer', of_type: 'page', with_relation: 'parent' }],
      },
    },
  };
  const ids = ['1', '2', '3'];
  const relations = Object.entries(schema).flatMap(([type, own]) =>
    Object.keys(own).flatMap((relation) => ids.map((id) => ({ resource: entity(type, id), relation }))),
  );
  const subject = fc.oneof(
    fc.constantFrom(...['user', 'team', 'page'].flatMap((type) => ids.map((id) => entity(type, id)))),
    fc.constantFrom(...relations).map(({ resource, relation }) => ({ ...resource, relation })),
  );
  const warrant = fc
    .record({ grant: fc.constantFrom(...relations), subject, every: fc.nat(5) })
    .map(({ grant, subject, every }) => ({
      ...grant.resource,
      ...(every === 0 && { resourceId: '*' }),
      relation: grant.relation,
      subject,
    }));

  test('gives the same results as a simple fixed-point model on random warrants', () => {
    fc.assert(
      fc.property(
        fc.array(warrant, { maxLength: 25 }),
        fc.constantFrom<Scope>('explicit', 'everything'),
        (warrants, scope) => {
          const { known } = facts(schema, warrants);
          for (const who of [entity('user', '1'), entity('user', '2'), entity('team', '1')]) {
            const held = relations.filter(
              ({ resource, relation }) => evaluate(known, { ...resource, relation, subject: who }, scope).isSatisfied,
            );
            expect(held.map(({ resource, relation }) => grantName(resource, relation)).sort()).toEqual(
              [...modelOf(schema, ids, warrants, who, scope)].sort(),
            );
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test('reads the warrants for all teams only once, not once for each team', () => {
    const count = 500;
    const teams: Schema = { user: {}, team: { member: {} } };
    const every = Array.from(
      { length: count },
      (_, index): Relationship => ({
        ...entity('team', '*'),
        relation: 'member',
        subject: { ...entity('team', index), relation: 'member' },
      }),
    );
    const { known, lookups } = facts(teams, every);

    const { isSatisfied, steps } = evaluate(
      known,
      { ...entity('team', 0), relation: 'member', subject: entity('user', 7) },
      'everything',
    );

    expect({ isSatisfied, steps }).toEqual({ isSatisfied: false, steps: count });
    expect(lookups()).toBeLessThan(10 * count);
  });
});
