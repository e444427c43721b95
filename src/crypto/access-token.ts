import { bytesIn, verifiedPayload } from '#crypto/sessions';
import { isLike, isRecord, isText, parsedJson } from '../http/json.js';
import { type Invalid, invalid } from './invalid.js';
import type { KeySet, KeysUnavailable } from './key-set.js';

/** Claims of an access token. Any others are custom claims configured in the service. */
export interface AccessTokenClaims {
  /** Id of the user. */
  readonly sub: string;
  /** Id of the session. */
  readonly sid: string;
  /** Issuer of the token. */
  readonly iss?: string;
  /** Audience of the token. */
  readonly aud?: string | readonly string[];
  /** When it stops working, in seconds since 1970. */
  readonly exp: number;
  /** When it starts working, in seconds since 1970. */
  readonly nbf?: number;
  /** When it was issued, in seconds since 1970. */
  readonly iat?: number;
  /** Id of the token. */
  readonly jti?: string;
  /** Organization of the session. */
  readonly org_id?: string;
  /** The user's role in that organization. */
  readonly role?: string;
  /** All of the user's roles there. */
  readonly roles?: readonly string[];
  /** The user's permissions there. */
  readonly permissions?: readonly string[];
  /** Features that the organization has paid for. */
  readonly entitlements?: readonly string[];
  /** Feature flags that are on. */
  readonly feature_flags?: readonly string[];
  /** When the user last authenticated, in seconds since 1970. */
  readonly auth_time?: number;
  /** Client the token was issued to. */
  readonly client_id?: string;
  /** The actor who impersonates the user (RFC 8693). */
  readonly act?: { readonly sub: string };
  readonly [claim: string]: unknown;
}

/** Why an access token is invalid. */
export type TokenRefusal =
  /** It is not a signed token, or has no user, session or expiry. */
  | 'malformed'
  /** The signature does not match this key, or the header has a value that the service never uses. */
  | 'forged'
  /** It starts working later, or was issued in the future. */
  | 'not_yet_valid'
  /** Its lifetime is longer than allowed. */
  | 'lives_too_long'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_client'
  /** The service has no key with this id. */
  | 'unknown_key';

/** The result of verifying an access token. */
export type VerifiedToken =
  /** `expired`: it is otherwise valid. */
  { readonly status: 'ok' | 'expired'; readonly claims: AccessTokenClaims } | Invalid<TokenRefusal> | KeysUnavailable;

/** Checks besides the signature. */
export interface TokenChecks {
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Allowed clock difference to the service, in milliseconds. */
  readonly clockToleranceMs: number;
  /** Maximum lifetime of a token, in milliseconds. */
  readonly maxTokenLifetimeMs: number;
  /** Accepted issuers, compared exactly. Default: any. */
  readonly issuer?: string | readonly string[] | undefined;
  /** Accepted audiences; the token must have one of them. Default: not checked. */
  readonly audience?: string | readonly string[] | undefined;
  /** Required client id of tokens that name a client. */
  readonly clientId?: string | undefined;
}

// Three parts of base64url. The unused bits of the signature's last character must be zero, so that each token has only one
// spelling.
const shape = /^[\w-]+\.[\w-]+\.(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

// A key inside a token is not trustworthy, and an unknown critical header may change the meaning of the rest.
const forbiddenHeaders = ['jwk', 'jku', 'x5c', 'x5u', 'crit', 'b64'];
const tokenType = /^(application\/)?(at\+)?jwt$/i;

/** Verify the header and signature of a token, RS256 only, and return its payload. Does not check its claims. */
export async function verifySignature(
  token: string,
  keys: KeySet,
): Promise<{ readonly status: 'ok'; readonly payload: Uint8Array } | Invalid<TokenRefusal> | KeysUnavailable> {
  const header = isLike(token, shape) && jsonPart(token.split('.', 1)[0]);
  if (!isRecord(header) || !isText(header.alg)) return invalid('malformed');
  const { alg, typ = 'jwt', kid } = header;
  if (alg !== 'RS256' || forbiddenHeaders.some((name) => name in header) || !isLike(typ, tokenType))
    return invalid('forged');
  if (!isText(kid)) return invalid('malformed');
  const found = await keys.key(kid);
  if (found.status !== 'ok') return found;
  const payload = await verifiedPayload(found.key, token);
  return payload ? { status: 'ok', payload } : invalid('forged');
}

/**
 * Verify an access token: its signature, required claims, issuer, audience and client, and then its times. Never throws for an
 * invalid token.
 */
export async function verifyAccessToken(token: string, keys: KeySet, checks: TokenChecks): Promise<VerifiedToken> {
  const signed = await verifySignature(token, keys);
  return signed.status === 'ok' ? checked(signed.payload, checks) : signed;
}

function checked(payload: Uint8Array, checks: TokenChecks): VerifiedToken {
  const { issuer, audience, clientId } = checks;
  const now = checks.now() / 1_000;
  const tolerance = checks.clockToleranceMs / 1_000;
  // The next lines check the required claims.
  const claims = parsedJson(payload) as AccessTokenClaims;
  const { sub, sid, iss, aud, client_id: client = clientId, nbf = 0, iat = now, exp } = Object(claims);
  if (![sub, sid].every(isText) || ![exp, nbf, iat].every(Number.isFinite)) return invalid('malformed');
  if (!isAmong(issuer, iss)) return invalid('wrong_issuer');
  if (!isAmong(audience, aud)) return invalid('wrong_audience');
  if (!isAmong(clientId, client)) return invalid('wrong_client');
  if (Math.max(nbf, iat) - tolerance > now) return invalid('not_yet_valid');
  if (exp + tolerance <= now) return { status: 'expired', claims };
  return (exp - iat) * 1_000 > checks.maxTokenLifetimeMs ? invalid('lives_too_long') : { status: 'ok', claims };
}

/** Whether a claim, or one of its values, is accepted. Everything is accepted if nothing is required. */
const isAmong = (accepted: string | readonly string[] | undefined, claimed: unknown): boolean => {
  if (accepted === undefined || accepted === claimed) return true;
  const all: readonly unknown[] = [accepted].flat();
  return [claimed].flat().some((one) => all.includes(one));
};

/**
 * Decode the claims of an access token without verifying it. Returns an empty object if it is not a token. Only for tokens that
 * come directly from the service or from our own seal, and never for access decisions.
 */
export const uncheckedClaims = (token: string): Partial<AccessTokenClaims> => Object(jsonPart(token.split('.')[1]));

/** Decode a part of a token. Returns undefined unless it is JSON in base64url. */
function jsonPart(part: string | undefined): unknown {
  try {
    return parsedJson(bytesIn(part ?? ''));
  } catch {
    return undefined;
  }
}
