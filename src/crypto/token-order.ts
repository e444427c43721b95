/** The claims that tell how old a token is, and its organization. */
export interface IssuedClaims {
  readonly sid: string;
  readonly iat?: number | undefined;
  readonly jti?: string | undefined;
  readonly org_id?: string | undefined;
}

/**
 * Whether a token is older than another one of its session, which a switch of the organization has issued. `iat` has whole seconds: in
 * the second of the switch, the older token belongs to another organization.
 */
export const isOlder = (token: IssuedClaims, newest: Omit<IssuedClaims, 'sid'>): boolean => {
  const seconds = (token.iat ?? 0) - (newest.iat ?? 0);
  return seconds < 0 || (seconds === 0 && token.jti !== newest.jti && token.org_id !== newest.org_id);
};
