import { generateKeyPairSync, sign } from 'node:crypto';
import {
  BitString,
  Constructed,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  Set as SetOf,
  UTCTime,
  Utf8String,
} from 'asn1js';

const identifier = (value: string): ObjectIdentifier => new ObjectIdentifier({ value });
const bytesOf = (data: Buffer): ArrayBuffer => new Uint8Array(data).buffer;
const pem = (label: string, der: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;

/** Creates a self-signed certificate (RFC 5280) for names or the address 127.0.0.1, in PEM. */
export function certificateFor(...names: readonly string[]): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = new Sequence({ value: [identifier('1.2.840.113549.1.1.11'), new Null()] });
  const attribute = new Sequence({ value: [identifier('2.5.4.3'), new Utf8String({ value: 'tests' })] });
  const subject = new Sequence({ value: [new SetOf({ value: [attribute] })] });
  const validity = new Sequence({
    value: [new UTCTime({ valueDate: new Date('2020-01-01') }), new UTCTime({ valueDate: new Date('2049-12-31') })],
  });
  const nameOf = (name: string): Primitive =>
    new Primitive({
      idBlock: { tagClass: 3, tagNumber: name === '127.0.0.1' ? 7 : 2 },
      valueHex: bytesOf(name === '127.0.0.1' ? Buffer.from([127, 0, 0, 1]) : Buffer.from(name)),
    });
  const alternatives = new Sequence({ value: names.map(nameOf) });
  const extension = new Sequence({
    value: [identifier('2.5.29.17'), new OctetString({ valueHex: alternatives.toBER() })],
  });
  const content = new Sequence({
    value: [
      new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: [new Integer({ value: 2 })] }),
      new Integer({ value: 1 }),
      algorithm,
      subject,
      validity,
      subject,
      fromBER(bytesOf(publicKey.export({ type: 'spki', format: 'der' }))).result,
      new Constructed({
        idBlock: { tagClass: 3, tagNumber: 3 },
        value: [new Sequence({ value: [extension] })],
      }),
    ],
  });
  const valueHex = bytesOf(sign('sha256', Buffer.from(content.toBER()), privateKey));
  const whole = new Sequence({ value: [content, algorithm, new BitString({ valueHex })] });
  return {
    cert: pem('CERTIFICATE', whole.toBER()),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
