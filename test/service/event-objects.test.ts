import { expect, test } from 'vitest';
import type { AnyModel, Descriptor } from '../../src/service/describe/define.js';
import { idFields, objectFields } from '../../src/service/events/objects.js';
import { payloads } from '../../src/service/events/payloads.js';

const fields = Object.values(payloads).flatMap((payload: { readonly model?: AnyModel }): [string, Descriptor][] =>
  Object.entries(payload.model!.shape),
);
const namesOf = (matches: (name: string, field: Descriptor) => boolean): string[] => [
  ...new Set(fields.filter(([name, field]) => matches(name, field)).map(([name]) => name)),
];

/** Ids that do not name an object of the event: its parents, actors, and names in other systems. */
const otherIds = [
  'externalId',
  'billingCustomerId',
  'organizationId',
  'fromOrganizationId',
  'toOrganizationId',
  'directoryId',
  'inviterUserId',
  'acceptedUserId',
  'radarChallengeId',
  'idpId',
];

test('each id in event data is declared as a related object, a parent, an actor or an external id', () => {
  const ids = namesOf((name, { kind }) => kind === 'string' && /^id$|Id$/.test(name));

  expect(ids.toSorted()).toEqual([...idFields, ...otherIds].toSorted());
});

test('each object with an id in event data is declared as a related object', () => {
  expect(namesOf((_, { model }) => model?.shape.id !== undefined).toSorted()).toEqual([...objectFields].toSorted());
});
