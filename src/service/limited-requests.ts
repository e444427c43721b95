import { type LimitedRequests, type RateLimit, type RateLimitName, rateLimits } from './rate-limits.js';

/** A request, as far as limits look at it. */
export interface LimitedRequest {
  /** Path of the operation, parameters by their names. */
  readonly path: string;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  /** The body as it is sent. */
  readonly body: unknown;
  readonly apiKey: string | undefined;
  /** Whose allowance it is, where the request names it by something else. */
  readonly subject: string | undefined;
}

/** What a request counts under: a limit, and whose allowance of it. */
export interface Counted {
  readonly name: RateLimitName;
  readonly subject: string;
}

/** All requests of a process come from one machine. */
export const hereAddress = 'here';

/** What a request of an operation counts under, in the order of the published limits. */
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

/** Whose allowance a request uses; undefined where it says nothing of the kind. */
function subjectOf(per: RateLimit['per'], { params, body, apiKey, subject }: LimitedRequest): string | undefined {
  const field = (name: string): string | undefined => {
    const value = (body as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    // Capitals make no difference in an email address.
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
      // Dialects differ in what they call it.
      return subject ?? field('email') ?? field('authentication_challenge_id') ?? field('authenticationChallengeId');
    default:
      return subject;
  }
}
