import { opaque } from '../../service/describe/define.js';
import { descriptorOf } from '../../service/describe/operation.js';
import { project } from '../../service/describe/project.js';
import { organizationMembership } from '../../service/memberships.js';
import { organization } from '../../service/organizations.js';
import { user } from '../../service/users.js';
import { membershipOf, membershipView } from '../rooms/memberships/records.js';
import { organizations, organizationView } from '../rooms/organizations/records.js';
import { users } from '../rooms/users/records.js';
import { badRequest, type RequestProblem, unprocessable } from '../world/refusal.js';
import { value, type World } from '../world/world.js';

/** Claims by their names; texts in them may hold placeholders, `{{ user.email }}`. */
export type ClaimTemplate = Readonly<Record<string, unknown>>;

/** What access tokens say beside what the service says itself. */
const template = value<ClaimTemplate>('custom claims', {}, opaque);

const reserved = ['iss', 'sub', 'exp', 'iat', 'nbf', 'jti'];

/** Add claims to the access tokens from now on, in place of those that were added before. @throws {Refusal} 422. */
export function setCustomClaims(world: World, claims: ClaimTemplate, field = 'claims'): void {
  const at = (name: string): string => [field, name].filter((step) => step).join('.');
  const taken = reserved.filter((name) => Object.hasOwn(claims, name));
  if (taken.length > 0)
    throw unprocessable(
      taken.map((name) => ({ field: at(name), code: 'reserved_claim', message: 'is reserved for the service' })),
      'reserved_claim',
    );
  const problems = Object.entries(claims).flatMap(([name, value]) => [...problemsIn(value, at(name))]);
  if (problems.length > 0) throw unprocessable(problems, 'invalid_placeholder');
  world.of(template).set(claims);
}

/** The claims that are added to access tokens, with their placeholders. */
export const claimTemplateOf = (world: World): ClaimTemplate => world.of(template).get();

/** What the custom claims say of a user in an organization. @throws {Refusal} 400 `invalid_custom_claims`. */
export function customClaimsOf(world: World, userId: string, organizationId: string | null): ClaimTemplate {
  const claims = world.of(template).get();
  const membership = organizationId === null ? undefined : membershipOf(world, userId, organizationId);
  const context = {
    user: project(world.codec, descriptorOf(user), world.of(users).get(userId)),
    organization:
      organizationId === null
        ? null
        : project(
            world.codec,
            descriptorOf(organization),
            organizationView(world, world.of(organizations).get(organizationId)),
          ),
    organization_membership:
      membership && project(world.codec, descriptorOf(organizationMembership), membershipView(world, membership)),
  };
  // An object stays one.
  return filled(claims, context) as ClaimTemplate;
}

const placeholder = /\{\{(.*?)\}\}/gs;
const roots = ['user', 'organization', 'organization_membership'];

/** The alternatives of a placeholder, `user.first_name || 'Somebody'`: the first that is there counts. */
const alternativesIn = (expression: string): string[] =>
  expression.split(/\|\|(?=(?:[^'"]|'[^']*'|"[^"]*")*$)/).map((one) => one.trim());

const literalIn = (alternative: string): string | undefined => /^(['"])(.*)\1$/s.exec(alternative)?.[2];

function* problemsIn(value: unknown, field: string): Generator<RequestProblem> {
  if (typeof value === 'object' && value !== null)
    for (const [name, own] of Object.entries(value)) yield* problemsIn(own, `${field}.${name}`);
  if (typeof value !== 'string') return;
  const wrong = (message: string): RequestProblem => ({ field, code: 'invalid_placeholder', message });
  if (value.replace(placeholder, '').includes('{{')) yield wrong('has a placeholder with no end: close it with }}');
  for (const [, expression = ''] of value.matchAll(placeholder))
    for (const one of alternativesIn(expression)) {
      if (literalIn(one) !== undefined) continue;
      if (one === '') yield wrong('has a placeholder in which nothing stands');
      else if (!/^\w+(?:\.[\w-]+)*$/.test(one))
        yield wrong(`has a placeholder that is neither a path nor a quoted text: ${one}`);
      else if (!roots.includes(one.split('.')[0]!))
        yield wrong(`has a placeholder that begins with none of user, organization or organization_membership: ${one}`);
    }
}

/** The value with its placeholders filled in. A text that is nothing but a placeholder becomes whatever stands there. */
function filled(value: unknown, context: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, context));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, filled(own, context)]));
  if (typeof value !== 'string') return value;
  const [, only] = /^\s*\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(value) ?? [];
  if (only !== undefined) return contentOf(only, context);
  return value.replace(placeholder, (_, expression: string) => {
    const found = contentOf(expression, context) ?? '';
    if (typeof found !== 'object') return String(found);
    throw badRequest(
      'invalid_custom_claims',
      `The access token cannot be written: in the text ${JSON.stringify(value)} of the custom claims, ${expression.trim()} is an object. Let it stand alone in its text`,
    );
  });
}

function contentOf(expression: string, context: unknown): unknown {
  for (const one of alternativesIn(expression)) {
    const found = literalIn(one) ?? at(context, one.split('.'));
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (place, step) => (Object.hasOwn(Object(place), step) ? Reflect.get(Object(place), step) : undefined),
    value,
  );
