/** Object identifiers of "SHA-256 with RSA" and of a subject's common name. */
const [sha256WithRsa, commonName] = ['1.2.840.113549.1.1.11', '2.5.4.3'];

/**
 * Create a self-signed X.509 certificate (DER) for an RS256 key pair. It is valid from 1970 to 2049, so that it works with any
 * test clock.
 */
export async function selfSigned({ publicKey, privateKey }: CryptoKeyPair): Promise<Uint8Array<ArrayBuffer>> {
  const {
    BitString,
    fromBER,
    Integer,
    Null,
    ObjectIdentifier,
    Sequence,
    Set: SetOf,
    UTCTime,
    Utf8String,
  } = await import('asn1js');
  const algorithm = new Sequence({ value: [new ObjectIdentifier({ value: sha256WithRsa }), new Null()] });
  const attribute = [new ObjectIdentifier({ value: commonName }), new Utf8String({ value: 'Sallyport emulator' })];
  const name = new Sequence({ value: [new SetOf({ value: [new Sequence({ value: attribute })] })] });
  const validity = new Sequence({
    value: [new UTCTime({ valueDate: new Date(0) }), new UTCTime({ valueDate: new Date('2049-12-31T23:59:59Z') })],
  });
  const key = fromBER(await crypto.subtle.exportKey('spki', publicKey)).result;
  const content = new Sequence({ value: [new Integer({ value: 1 }), algorithm, name, validity, name, key] });
  const valueHex = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, content.toBER());
  return new Uint8Array(new Sequence({ value: [content, algorithm, new BitString({ valueHex })] }).toBER());
}
