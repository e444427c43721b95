import { opaque } from '../../../service/describe/define.js';
import { descriptorOf } from '../../../service/describe/operation.js';
import { project } from '../../../service/describe/project.js';
import { organizationMembership } from '../../../service/memberships.js';
import { organization } from '../../../service/organizations.js';
import { user } from '../../../service/users.js';
import { membershipOf, membershipView } from '../../rooms/memberships/records.js';
import { organizations, organizationView } from '../../rooms/organizations/records.js';
import { users } from '../../rooms/users/records.js';
import {
  badRequest,
  type EmulatorRefusal,
  type RequestProblem,
  unprocessable,
  unprocessableField,
} from '../../store/refusal.js';
import { type Memory, value } from '../../world/memory.js';
import { alternativesIn, literalIn, piecesOf } from './placeholders.js';

/** Claims by name; strings may contain placeholders such as `{{ user.email }}`. */
export type ClaimTemplate = Readonly<Record<string, unknown>>;

/** The custom claims of access tokens. */
const template = value<ClaimTemplate>('custom claims', {}, opaque);

const reserved = ['iss', 'sub', 'exp', 'iat', 'nbf', 'jti'];

/** Maximum length of the claims as JSON, in characters. */
const maxLength = 16_384;

/** Maximum total length of the filled placeholders, in characters. Each can expand to a whole user. */
const maxFilledLength = 65_536;

/** Maximum number of characters of a placeholder quoted in a message. */
const maxQuotedLength = 60;

/** Replace the custom claims of access tokens. @throws {EmulatorRefusal} 422. */
export function setCustomClaims(memory: Memory, claims: ClaimTemplate, field = 'claims'): void {
  const at = (name: string): string => [field, name].filter((step) => step).join('.');
  const conflicts = reserved.filter((name) => Object.hasOwn(claims, name));
  if (conflicts.length > 0)
    throw unprocessable(
      conflicts.map((name) => ({ field: at(name), code: 'reserved_claim', message: 'is reserved for the service' })),
      'reserved_claim',
    );
  const { length } = JSON.stringify(claims);
  if (length > maxLength)
    throw unprocessableField(field, 'out_of_range', `must have at most ${maxLength} characters as JSON, not ${length}`);
  const problems = Object.entries(claims).flatMap(([name, value]) => [...problemsIn(value, at(name))]);
  if (problems.length > 0) throw unprocessable(problems, 'invalid_placeholder');
  memory.of(template).set(claims);
}

/** Get the custom claims of access tokens, with unfilled placeholders. */
export const claimTemplateOf = (memory: Memory): ClaimTemplate => memory.of(template).get();

/** Fill in the custom claims for a user in an organization. @throws {EmulatorRefusal} 400 `invalid_custom_claims`. */
export function customClaimsOf(memory: Memory, userId: string, organizationId: string | null): ClaimTemplate {
  const claims = memory.of(template).get();
  const membership = organizationId === null ? undefined : membershipOf(memory, userId, organizationId);
  const context = {
    user: project(memory.codec, descriptorOf(user), memory.of(users).get(userId)),
    organization:
      organizationId === null
        ? null
        : project(
            memory.codec,
            descriptorOf(organization),
            organizationView(memory, memory.of(organizations).get(organizationId)),
          ),
    organization_membership:
      membership && project(memory.codec, descriptorOf(organizationMembership), membershipView(memory, membership)),
  };
  // The cast is safe because filling an object returns an object.
  return new PlaceholderFiller(context).fill(claims) as ClaimTemplate;
}

const roots = ['user', 'organization', 'organization_membership'];

function* problemsIn(value: unknown, field: string): Generator<RequestProblem> {
  if (typeof value === 'object' && value !== null)
    for (const [name, nested] of Object.entries(value)) yield* problemsIn(nested, `${field}.${name}`);
  if (typeof value !== 'string') return;
  const wrong = (message: string): RequestProblem => ({ field, code: 'invalid_placeholder', message });
  for (const { text, expression } of piecesOf(value)) {
    if (text.includes('{{')) yield wrong('has an unclosed placeholder: close it with }}');
    for (const one of expression === undefined ? [] : alternativesIn(expression)) {
      if (literalIn(one) !== undefined) continue;
      if (one === '') yield wrong('has an empty placeholder');
      else if (!/^\w+(?:\.[\w-]+)*$/.test(one))
        yield wrong(`has a placeholder that is neither a path nor a quoted string: ${one.slice(0, maxQuotedLength)}`);
      else if (!roots.includes(one.split('.')[0]!))
        yield wrong(
          `has a placeholder that must start with user, organization or organization_membership: ${one.slice(0, maxQuotedLength)}`,
        );
    }
  }
}

/** Fills in the placeholders of claims, up to a maximum total length. */
class PlaceholderFiller {
  #remaining = maxFilledLength;

  constructor(readonly context: unknown) {}

  /** Fill in the placeholders of a value. A string that is only a placeholder becomes the value itself. */
  fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, nested]) => [name, this.fill(nested)]));
    return typeof value === 'string' ? this.#fillString(value) : value;
  }

  #fillString(value: string): unknown {
    const pieces = [...piecesOf(value)];
    const [first, last] = pieces;
    if (first?.expression !== undefined && pieces.length === 2 && `${first.text}${last?.text}`.trim() === '')
      return this.#resolve(first.expression);
    const filled = pieces.map(({ text, expression }) => {
      const found = expression === undefined ? '' : (this.#resolve(expression) ?? '');
      if (typeof found !== 'object') return text + String(found);
      throw refusal(
        `in the custom claim ${JSON.stringify(value)}, ${expression?.trim()} is an object. Use the placeholder alone, without other text`,
      );
    });
    return filled.join('');
  }

  #resolve(expression: string): unknown {
    const found = contentOf(expression, this.context);
    this.#remaining -= typeof found === 'string' ? found.length : JSON.stringify(found).length;
    if (this.#remaining >= 0) return found;
    throw refusal(
      `the placeholders of the custom claims expand to more than ${maxFilledLength} characters. Use fewer of them, or shorter values`,
    );
  }
}

const refusal = (problem: string): EmulatorRefusal =>
  badRequest('invalid_custom_claims', `The access token cannot be created: ${problem}`);

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
