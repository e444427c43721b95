// The minimum that Node can do: check a session and a webhook with synchronous node:crypto and keys that are prepared once. Benchmarks
// call it "node:crypto, kept keys".
import { createDecipheriv, createHmac, createPublicKey, pbkdf2Sync, timingSafeEqual, verify } from 'node:crypto';

const latin1 = { encoding: 'latin1' };
// Node 24 can be slower with a key in a Buffer than with the same bytes in a latin1 string.
const keyOf = (password, salt) => pbkdf2Sync(password, salt, 1, 32, 'sha1').toString('latin1');
const jsonIn = (part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

/** Open an Iron seal (`Fe26.2*…~2`) and verify the RS256 token in it. `jwks` is the key set as JSON. */
export function sessionByNode(jwks, password) {
  const keys = new Map(jwks.keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]));
  return (sealed) => {
    const text = sealed.slice(0, sealed.lastIndexOf('~'));
    const parts = text.split('*');
    if (parts.length !== 8 || parts[0] !== 'Fe26.2') throw new Error('not a seal');
    const signed = text.slice(0, text.lastIndexOf('*', text.lastIndexOf('*') - 1));
    const mac = createHmac('sha256', keyOf(password, parts[6]), latin1).update(signed).digest();
    if (!timingSafeEqual(mac, Buffer.from(parts[7], 'base64url'))) throw new Error('another password');
    const iv = Buffer.from(parts[3], 'base64url');
    const decipher = createDecipheriv('aes-256-cbc', keyOf(password, parts[2]), iv, latin1);
    const session = JSON.parse(decipher.update(parts[4], 'base64url', 'utf8') + decipher.final('utf8'));
    const [head, body, signature] = session.accessToken.split('.');
    const { alg, kid } = jsonIn(head);
    if (alg !== 'RS256') throw new Error('another algorithm');
    if (!verify('RSA-SHA256', Buffer.from(`${head}.${body}`), keys.get(kid), Buffer.from(signature, 'base64url')))
      throw new Error('not signed');
    const claims = jsonIn(body);
    if (typeof claims.exp !== 'number' || claims.exp <= Date.now() / 1000) throw new Error('expired');
    return { user: session.user, session, claims };
  };
}

/** Check the header `t=<ms>, v1=<hex>` of a body and parse the body. */
export const webhookByNode = (secret) => (body, header) => {
  const [time, signature] = header.split(',').map((part) => part.slice(part.indexOf('=') + 1));
  const mac = createHmac('sha256', secret).update(time).update('.').update(body).digest();
  if (!timingSafeEqual(mac, Buffer.from(signature, 'hex'))) throw new Error('not signed');
  return JSON.parse(body);
};
