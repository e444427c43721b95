import type { World } from '../world/world.js';

/** What an authenticator app and the service have in common. */
export interface TotpSeed {
  /** Twenty bytes in base 32. */
  readonly secret: string;
  /** Name of the application, as the authenticator shows it. */
  readonly issuer: string;
  /** Name of the user, as the authenticator shows it. */
  readonly user: string;
}

// RFC 6238 with what every authenticator app supports.
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps before and after the present one whose code is right too: clocks differ. */
const window = 1;

const load = () => import('otpauth');

/** A new secret. */
export async function newSecret(world: World): Promise<string> {
  const { Secret } = await load();
  return Secret.fromLatin1(world.ids.token(20)).base32;
}

/** Characters of the names in the otpauth URI, beyond which no QR code would hold it. */
const mostInQrCode = 2_000;

/** Whether an otpauth URI with these names fits into a QR code; the issuer stands in it twice. */
export const fitsQrCode = ({ issuer, user }: Pick<TotpSeed, 'issuer' | 'user'>): boolean =>
  encodeURIComponent(issuer).length * 2 + encodeURIComponent(user).length <= mostInQrCode;

/** What is shown once, at enrollment: the otpauth URI, also as a QR code in a PNG data URI. */
export async function enrollmentOf({ secret, issuer, user }: TotpSeed): Promise<{ uri: string; qrCode: string }> {
  const [{ Secret, TOTP }, { default: qrcode }] = await Promise.all([load(), import('qrcode')]);
  const uri = new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer, label: user }).toString();
  return { uri, qrCode: await qrcode.toDataURL(uri) };
}

/** Check codes: the step of time that a code belongs to, or undefined for a wrong one. */
export async function totpCheck(): Promise<(secret: string, code: string, atMs: number) => number | undefined> {
  const { Secret, TOTP } = await load();
  return (secret, token, timestamp) => {
    const delta = TOTP.validate({ ...parameters, secret: Secret.fromBase32(secret), token, timestamp, window });
    return delta === null ? undefined : TOTP.counter({ period: parameters.period, timestamp }) + delta;
  };
}
