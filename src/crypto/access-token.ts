import { signedBy } from '#crypto/sessions';
import { isLike, isRecord, isText, parsedJson } from '../http/json.js';
import { jsonPart } from './json-part.js';
import type { KeyLookup, KeySet, KeysUnavailable } from './key-set.js';
import { refused } from './refused.js';
import { type Soon, whenThere } from './soon.js';

/** What an access token says. Claims not named here are whatever the service was told to add. */
export interface AccessTokenClaims {
  /** Id of the user. */
  readonly sub: string;
  /** Id of the session. */
  readonly sid: string;
  /** Who issued it. */
  readonly iss?: string;
  /** For whom it is meant. */
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
  /** What the user may do there. */
  readonly permissions?: readonly string[];
  /** What the organization has paid for. */
  readonly entitlements?: readonly string[];
  /** Features switched on. */
  readonly feature_flags?: readonly string[];
  /** When the user last proved who they are, in seconds since 1970. */
  readonly auth_time?: number;
  /** Client the token was issued to. */
  readonly client_id?: string;
  /** Who acts as the user (RFC 8693). */
  readonly act?: { readonly sub: string };
  readonly [claim: string]: unknown;
}

/** Why an access token was refused. */
export type TokenRefusal =
  /** No signed token, or one without user, session or time of expiry. */
  | 'malformed'
  /** The signature is not by this key, or the header asks for something that no access token of the service has. */
  | 'forged'
  /** Its time has not come, or it was issued in the future. */
  | 'not_yet_valid'
  /** It lives longer than is allowed. */
  | 'lives_too_long'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_client'
  /** The service has no key of this id. */
  | 'unknown_key';

/** What checking an access token gives. */
export type VerifiedToken =
  | { readonly ok: true; readonly claims: AccessTokenClaims }
  /** All is well with it but its time. */
  | { readonly ok: false; readonly reason: 'expired'; readonly claims: AccessTokenClaims }
  | { readonly ok: false; readonly reason: TokenRefusal }
  | KeysUnavailable;

/** What is checked beside the signature. */
export interface TokenChecks {
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Seconds by which the service's clock may differ from ours. */
  readonly clockToleranceSec: number;
  /** Seconds that a token may live. */
  readonly maxTokenLifetimeSec: number;
  /** Issuers that are accepted, letter by letter; any when left out. */
  readonly issuer?: string | readonly string[] | undefined;
  /** Audiences, one of which the token must be meant for; not looked at when left out. */
  readonly audience?: string | readonly string[] | undefined;
  /** The client that a token must be for, where it names one. */
  readonly clientId?: string | undefined;
}

type Failure = Exclude<VerifiedToken, { ok: true } | { reason: 'expired' }>;

/** The bytes a token signs, once the signature holds, or why it does not. */
export type SignedBytes = { readonly ok: true; readonly payload: Uint8Array } | Failure;

// Letters of base64url in three parts. The bits that the last letter of the signature has to spare are zero: any other would
// make a second text with the same meaning.
const shape = /^[\w-]+\.[\w-]+\.(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

// Keys that a token brings along prove nothing, and what we do not understand may mean that the rest means something else.
const unwanted = ['jwk', 'jku', 'x5c', 'x5u', 'crit', 'b64'];
const tokenType = /^(application\/)?(at\+)?jwt$/i;

/** Checks header and signature of a token, RS256 only, and nothing of what it says. */
export function verifySignature(token: string, keys: KeySet): Soon<SignedBytes> {
  const header = isLike(token, shape) && jsonPart(token.split('.', 1)[0]);
  if (!isRecord(header) || !isText(header.alg)) return refused('malformed');
  const { alg, typ = 'jwt', kid } = header;
  if (alg !== 'RS256' || unwanted.some((name) => name in header) || !isLike(typ, tokenType)) return refused('forged');
  if (!isText(kid)) return refused('malformed');
  return whenThere<KeyLookup, SignedBytes>(keys.key(kid), (found) =>
    found.ok
      ? whenThere<Uint8Array | undefined, SignedBytes>(signedBy(found.key, token), (payload) =>
          payload ? { ok: true, payload } : refused('forged'),
        )
      : found,
  );
}

/**
 * Checks an access token: signature, required claims, issuer, audience and client, and then its time. No token makes it
 * throw.
 */
export const verifyAccessToken = (token: string, keys: KeySet, checks: TokenChecks): Soon<VerifiedToken> =>
  whenThere(verifySignature(token, keys), (signed) => (signed.ok ? checked(signed.payload, checks) : signed));

function checked(payload: Uint8Array, checks: TokenChecks): VerifiedToken {
  const { clockToleranceSec, maxTokenLifetimeSec, issuer, audience, clientId } = checks;
  const now = checks.now() / 1000;
  // Looked at in the next line; nothing else of it is required.
  const claims = parsedJson(payload) as AccessTokenClaims;
  const { sub, sid, iss, aud, client_id: client = clientId, nbf = 0, iat = now, exp } = Object(claims);
  if (![sub, sid].every(isText) || ![exp, nbf, iat].every(Number.isFinite)) return refused('malformed');
  if (!isAmong(issuer, iss)) return refused('wrong_issuer');
  if (!isAmong(audience, aud)) return refused('wrong_audience');
  if (!isAmong(clientId, client)) return refused('wrong_client');
  if (Math.max(nbf, iat) - clockToleranceSec > now) return refused('not_yet_valid');
  if (exp + clockToleranceSec <= now) return { ok: false, reason: 'expired', claims };
  return exp - iat > maxTokenLifetimeSec ? refused('lives_too_long') : { ok: true, claims };
}

/** Whether what a claim says, or part of it, is accepted; anything is where nothing is asked for. */
const isAmong = (accepted: string | readonly string[] | undefined, claimed: unknown): boolean => {
  if (accepted === undefined || accepted === claimed) return true;
  const all: readonly unknown[] = [accepted].flat();
  return [claimed].flat().some((one) => all.includes(one));
};
