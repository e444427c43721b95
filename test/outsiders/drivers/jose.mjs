// jose uses a remote key set of the service during a rotation of its keys.
import { load, report } from './outcomes.mjs';

const { OUTSIDER, SERVICE, API_KEY, CLIENT_ID } = process.env;
const { createRemoteJWKSet, jwtVerify } = await load(OUTSIDER, 'jose');
const keys = createRemoteJWKSet(new URL(`${SERVICE}/sso/jwks/${CLIENT_ID}`), { cooldownDuration: 0 });

const signIn = async () => {
  const response = await fetch(`${SERVICE}/user_management/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: CLIENT_ID,
      client_secret: API_KEY,
      grant_type: 'password',
      email: 'bruno@northwind.test',
      password: 'a quiet harbour at dawn',
    }),
  });
  return (await response.json()).access_token;
};
const subjectOf = async (token) => (await jwtVerify(token, keys)).payload.sub;
const rotate = (retire) =>
  fetch(`${SERVICE}/_emulator/keys/rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ retire }),
  });

const before = await signIn();
await report({
  'verifies a token': () => subjectOf(before),
  'verifies a token signed with the next key after a rotation': async () => {
    await rotate(false);
    return [await subjectOf(await signIn()), await subjectOf(before)];
  },
  'gets a certificate that matches each key': async () => {
    const { X509Certificate, createPublicKey, createHash } = await import('node:crypto');
    const { keys } = await (await fetch(`${SERVICE}/sso/jwks/${CLIENT_ID}`)).json();
    return keys.map((jwk) => {
      const certificate = new X509Certificate(Buffer.from(jwk.x5c[0], 'base64'));
      const thumbprint = createHash('sha256').update(certificate.raw).digest('base64url');
      return [
        certificate.publicKey.equals(createPublicKey({ key: jwk, format: 'jwk' })),
        certificate.verify(certificate.publicKey),
        thumbprint === jwk['x5t#S256'],
      ];
    });
  },
  'rejects a token signed with a retired key': async () => {
    await rotate(true);
    const again = createRemoteJWKSet(new URL(`${SERVICE}/sso/jwks/${CLIENT_ID}`));
    return (await jwtVerify(before, again)).payload.sub;
  },
});
