import { type LimitedRequests, type RateLimit, type RateLimitName, rateLimits } from './rate-limits.js';

/** The parts of a request that rate limits depend on. */
export interface LimitedRequest {
  /** Path of the operation with named parameters, such as `/organizations/:id`. */
  readonly path: string;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  /** Body as it is sent. */
  readonly body: unknown;
  readonly apiKey: string | undefined;
  /** Owner of the allowance, if the request identifies it in another way. */
  readonly subject: string | undefined;
}

/** A limit that a request counts towards, and the owner of the allowance. */
export interface Counted {
  readonly name: RateLimitName;
  readonly subject: string;
}

/** Owner of the limits per IP address: all requests of a process come from one machine. */
export const hereAddress = 'here';

/** List the limits that a request counts towards, in the order of the published limits. */
export const countedOf = (request: LimitedRequest): readonly Counted[] =>
  rateLimits.flatMap(({ name, per, counts }) => {
    if (typeof counts === 'string' || !isCounted(counts, request)) return [];
    const subject = subjectOf(per, request);
    return subject === undefined ? [] : [{ name, subject }];
  });

function isCounted({ path, methods }: LimitedRequests, request: LimitedRequest): boolean {
  if (methods && !methods.some((method) => method === request.method)) return false;
  return path.endsWith('*') ? request.path.startsWith(path.slice(0, -1)) : request.path === path;
}

/** Return the owner of the allowance that a request uses, or undefined if the request does not identify one. */
function subjectOf(per: RateLimit['per'], { params, body, apiKey, subject }: LimitedRequest): string | undefined {
  const field = (name: string): string | undefined => {
    const value = (body as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    // Email addresses are case-insensitive.
    return typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  };
  switch (per) {
    case 'IP address':
      return hereAddress;
    case 'account':
      return '';
    case 'API key':
      return apiKey;
    case 'user':
      return params.id;
    case 'email':
      return field('email');
    case 'email or challenge id':
      // The name of this field depends on the dialect.
      return subject ?? field('email') ?? field('authentication_challenge_id') ?? field('authenticationChallengeId');
    default:
      return subject;
  }
}
