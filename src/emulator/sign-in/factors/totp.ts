import type { Memory } from '../../world/memory.js';

/** Data that an authenticator app and the service share. */
export interface TotpSeed {
  /** Secret in base 32; a generated one has 20 bytes. */
  readonly secret: string;
  /** Application name that the authenticator app shows. */
  readonly issuer: string;
  /** User name that the authenticator app shows. */
  readonly user: string;
}

// Every authenticator app supports these parameters of RFC 6238.
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Number of earlier and later time steps whose codes are accepted, because clocks differ. */
const window = 1;

const load = () => import('otpauth');

/** Generate a secret of 20 bytes in base 32. */
export async function newSecret(memory: Memory): Promise<string> {
  const { Secret } = await load();
  return Secret.fromLatin1(memory.ids.token(20)).base32;
}

/** Maximum length of the encoded names in an otpauth URI. A longer URI might not fit into a QR code. */
const maxEncodedNames = 2_000;

/** Check whether an otpauth URI with these names fits into a QR code. The URI contains the issuer twice. */
export const fitsQrCode = ({ issuer, user }: Pick<TotpSeed, 'issuer' | 'user'>): boolean =>
  encodeURIComponent(issuer).length * 2 + encodeURIComponent(user).length <= maxEncodedNames;

/** Create the otpauth URI of an enrollment, and its QR code as a PNG data URI. */
export async function enrollmentOf({ secret, issuer, user }: TotpSeed): Promise<{ uri: string; qrCode: string }> {
  const [{ Secret, TOTP }, { default: qrcode }] = await Promise.all([load(), import('qrcode')]);
  const uri = new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer, label: user }).toString();
  return { uri, qrCode: await qrcode.toDataURL(uri) };
}

/** Load the function that checks codes. It returns the time step of a code, or undefined for a wrong code. */
export async function totpCheck(): Promise<(secret: string, code: string, atMs: number) => number | undefined> {
  const { Secret, TOTP } = await load();
  return (secret, token, timestamp) => {
    const delta = TOTP.validate({ ...parameters, secret: Secret.fromBase32(secret), token, timestamp, window });
    return delta === null ? undefined : TOTP.counter({ period: parameters.period, timestamp }) + delta;
  };
}
