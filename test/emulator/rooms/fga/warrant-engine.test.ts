import { describe, expect, test } from 'vitest';
import { evaluate, type WarrantReader } from '../../../../src/emulator/rooms/fga/engine.js';
import type { Entity, Relationship, Subject } from '../../../../src/emulator/rooms/fga/names.js';
import type { RelationDefinition } from '../../../../src/service/fga.js';

type Schema = Readonly<Record<string, Readonly<Record<string, RelationDefinition>>>>;

/** Parse a text such as `report:7`. */
const entity = (text: string): Entity => {
  const [resourceType = '', resourceId = ''] = text.split(':');
  return { resourceType, resourceId };
};

/** Parse a text such as `user:ada` or `group:eng#member`. */
const subject = (text: string): Subject => {
  const [name = '', relation] = text.split('#');
  return { ...entity(name), ...(relation && { relation }) };
};

/** Parse a text such as `report:7 editor user:ada`. */
const relationship = (text: string): Relationship => {
  const [resource = '', relation = '', who = ''] = text.split(' ');
  return { ...entity(resource), relation, subject: subject(who) };
};

/** Warrants in plain lists, with linear search. */
function facts(schema: Schema, ...texts: readonly string[]): WarrantReader {
  const all = texts.map(relationship);
  const on = (resource: Entity, relation: string): Relationship[] =>
    all.filter(
      (one) =>
        one.resourceType === resource.resourceType &&
        one.resourceId === resource.resourceId &&
        one.relation === relation,
    );
  return {
    definition: (type, relation) => schema[type]?.[relation],
    warrant: (resource, relation, who) =>
      on(resource, relation).find(
        (one) =>
          one.subject.resourceType === who.resourceType &&
          one.subject.resourceId === who.resourceId &&
          (one.subject.relation ?? '') === (who.relation ?? ''),
      ),
    everyOf: () => undefined,
    groupWarrants: (resource, relation) => on(resource, relation).filter((one) => one.subject.relation),
    warrantsOfType: (resource, relation, type) =>
      on(resource, relation).filter((one) => !one.subject.relation && one.subject.resourceType === type),
  };
}

const holds = (known: WarrantReader, question: string): boolean =>
  evaluate(known, relationship(question), 'everything').isSatisfied;

const documents: Schema = {
  user: {},
  group: { member: {} },
  folder: { owner: {}, viewer: { inherit_if: 'owner' } },
  document: {
    parent: {},
    blocked: {},
    approved: {},
    owner: {},
    editor: { inherit_if: 'owner' },
    viewer: {
      inherit_if: 'any_of',
      rules: [{ inherit_if: 'editor' }, { inherit_if: 'viewer', of_type: 'folder', with_relation: 'parent' }],
    },
    publisher: { inherit_if: 'all_of', rules: [{ inherit_if: 'editor' }, { inherit_if: 'approved' }] },
  },
};

describe('a subject has a relation to a resource', () => {
  test('if a warrant grants the relation to the subject', () => {
    const known = facts(documents, 'document:1 viewer user:ada');

    expect(holds(known, 'document:1 viewer user:ada')).toBe(true);
    expect(holds(known, 'document:1 viewer user:bob')).toBe(false);
    expect(holds(known, 'document:2 viewer user:ada')).toBe(false);
    expect(holds(known, 'document:1 editor user:ada')).toBe(false);
  });

  test('if the schema grants the relation through a chain of relations', () => {
    const known = facts(documents, 'document:1 owner user:ada');

    expect(holds(known, 'document:1 editor user:ada')).toBe(true);
    expect(holds(known, 'document:1 viewer user:ada')).toBe(true);
    expect(holds(known, 'document:1 publisher user:ada')).toBe(false);
  });

  test('through a related resource of the type in the rule', () => {
    const known = facts(documents, 'document:1 parent folder:a', 'folder:a owner user:ada', 'folder:b owner user:bob');

    expect(holds(known, 'document:1 viewer user:ada')).toBe(true);
    expect(holds(known, 'document:1 viewer user:bob')).toBe(false);
  });

  test('through a related resource only if the rule names the type of the related resource', () => {
    const known = facts(documents, 'document:1 parent document:2', 'document:2 viewer user:ada');

    expect(holds(known, 'document:1 viewer user:ada')).toBe(false);
  });

  test('through an all_of rule only if the subject has all required relations', () => {
    const known = facts(
      documents,
      'document:1 editor user:ada',
      'document:1 approved user:ada',
      'document:1 editor user:bob',
    );

    expect(holds(known, 'document:1 publisher user:ada')).toBe(true);
    expect(holds(known, 'document:1 publisher user:bob')).toBe(false);
  });

  test('as a member of a group or of a nested group', () => {
    const known = facts(
      documents,
      'document:1 viewer group:all#member',
      'group:all member group:eng#member',
      'group:eng member user:ada',
      'group:ops member user:bob',
    );

    expect(holds(known, 'document:1 viewer user:ada')).toBe(true);
    expect(holds(known, 'document:1 viewer group:eng#member')).toBe(true);
    expect(holds(known, 'document:1 viewer user:bob')).toBe(false);
    expect(holds(known, 'document:1 viewer group:eng')).toBe(false);
  });

  test('only if the schema defines the relation, the resource type and the subject type', () => {
    const known = facts(
      documents,
      'document:1 reader user:ada',
      'page:1 viewer user:ada',
      'document:1 viewer team:x#member',
    );

    expect(holds(known, 'document:1 reader user:ada')).toBe(false);
    expect(holds(known, 'page:1 viewer user:ada')).toBe(false);
    expect(holds(known, 'document:1 viewer user:ada')).toBe(false);
  });
});

describe('a warrant evaluation with a cycle', () => {
  const nested: Schema = {
    user: {},
    group: { member: {} },
    folder: {
      parent: {},
      viewer: { inherit_if: 'viewer', of_type: 'folder', with_relation: 'parent' },
      a: { inherit_if: 'any_of', rules: [{ inherit_if: 'b' }, { inherit_if: 'c' }] },
      b: { inherit_if: 'a' },
      c: {},
      both: { inherit_if: 'all_of', rules: [{ inherit_if: 'a' }, { inherit_if: 'b' }] },
    },
  };

  test('of groups that contain each other finds the members of the groups', () => {
    const known = facts(
      nested,
      'folder:1 viewer group:a#member',
      'group:a member group:b#member',
      'group:b member group:a#member',
      'group:b member user:ada',
    );

    expect(holds(known, 'folder:1 viewer user:ada')).toBe(true);
    expect(holds(known, 'folder:1 viewer user:bob')).toBe(false);
  });

  test('of resources that are parents of each other finds a relation through a parent', () => {
    const known = facts(
      nested,
      'folder:1 parent folder:2',
      'folder:2 parent folder:1',
      'folder:3 parent folder:3',
      'folder:2 viewer user:ada',
    );

    expect(holds(known, 'folder:1 viewer user:ada')).toBe(true);
    expect(holds(known, 'folder:3 viewer user:ada')).toBe(false);
  });

  test('of relations finds a relation that is also granted in another way', () => {
    const known = facts(nested, 'folder:1 c user:ada');

    expect(holds(known, 'folder:1 both user:ada')).toBe(true);
    expect(holds(known, 'folder:1 both user:bob')).toBe(false);
  });
});

describe('the path of a warrant evaluation', () => {
  test('is the chain of warrants from the resource to the subject', () => {
    const known = facts(
      documents,
      'document:1 parent folder:a',
      'folder:a owner group:eng#member',
      'group:eng member user:ada',
    );

    const { path } = evaluate(known, relationship('document:1 viewer user:ada'), 'everything');

    expect(path).toEqual([
      relationship('document:1 parent folder:a'),
      relationship('folder:a owner group:eng#member'),
      relationship('group:eng member user:ada'),
    ]);
  });

  test('is as short as possible', () => {
    const known = facts(
      documents,
      'document:1 viewer group:all#member',
      'group:all member group:eng#member',
      'group:eng member user:ada',
      'document:1 editor user:ada',
    );

    expect(evaluate(known, relationship('document:1 viewer user:ada'), 'everything').path).toEqual([
      relationship('document:1 editor user:ada'),
    ]);
  });

  test('is empty if the subject does not have the relation', () => {
    const known = facts(documents);

    expect(evaluate(known, relationship('document:1 viewer user:ada'), 'everything').path).toEqual([]);
  });

  test('can use groups, but not schema rules, if the scope is `explicit`', () => {
    const known = facts(
      documents,
      'document:1 owner user:ada',
      'document:1 viewer group:eng#member',
      'group:eng member user:bob',
    );

    expect(evaluate(known, relationship('document:1 viewer user:ada'), 'explicit').isSatisfied).toBe(false);
    expect(evaluate(known, relationship('document:1 viewer user:bob'), 'explicit').isSatisfied).toBe(true);
  });
});

describe('the decision tree of a warrant evaluation', () => {
  test('contains failed steps but no untried steps', () => {
    const known = facts(documents, 'document:1 owner user:ada', 'document:1 parent folder:a');

    const { decisions } = evaluate(known, relationship('document:1 viewer user:ada'), 'everything');

    const document = { resourceType: 'document', resourceId: '1' };
    const owner = { ...document, relation: 'owner', isSatisfied: true, from: [] };
    const editor = { ...document, relation: 'editor', isSatisfied: true, from: [owner] };
    // The owners of the folder would have been the next step.
    const folder = { resourceType: 'folder', resourceId: 'a', relation: 'viewer', isSatisfied: false, from: [] };
    expect(decisions()).toEqual({ ...document, relation: 'viewer', isSatisfied: true, from: [editor, folder] });
  });

  test('has a limited depth, even for a long cycle', () => {
    const schema: Schema = {
      user: {},
      folder: { parent: {}, viewer: { inherit_if: 'viewer', of_type: 'folder', with_relation: 'parent' } },
    };
    const chain = Array.from({ length: 200 }, (_, at) => `folder:${at} parent folder:${(at + 1) % 200}`);

    const { decisions } = evaluate(facts(schema, ...chain), relationship('folder:0 viewer user:ada'), 'everything');

    let depth = 0;
    for (let at = decisions(); at.from[0]; at = at.from[0]) depth++;
    expect(depth).toBe(50);
  });
});

test('a warrant evaluation follows a chain of 20,000 resources to the end', () => {
  const schema: Schema = {
    user: {},
    folder: { parent: {}, viewer: { inherit_if: 'viewer', of_type: 'folder', with_relation: 'parent' } },
  };
  const known: WarrantReader = {
    definition: (type, relation) => schema[type]?.[relation],
    warrant: ({ resourceId }, relation, who) =>
      resourceId === '20000' && relation === 'viewer'
        ? { resourceType: 'folder', resourceId, relation, subject: who }
        : undefined,
    everyOf: () => undefined,
    groupWarrants: () => [],
    warrantsOfType: ({ resourceId }, relation, type) => [
      {
        resourceType: 'folder',
        resourceId,
        relation,
        subject: { resourceType: type, resourceId: String(Number(resourceId) + 1) },
      },
    ],
  };

  const { isSatisfied: found, path } = evaluate(known, relationship('folder:0 viewer user:ada'), 'everything');

  expect(found).toBe(true);
  expect(path).toHaveLength(20_001);
});
