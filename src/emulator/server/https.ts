import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { ConfigurationError } from '../../errors/index.js';
import { Answer } from './answer.js';
import { isLoopback } from './loopback.js';

/** What an emulator needs to be reached by HTTPS, both in PEM. */
export interface HttpsOptions {
  /** The certificate, with those that lead to its authority behind it where there are some. */
  readonly cert: string | Uint8Array;
  /** Its private key, without a passphrase. */
  readonly key: string | Uint8Array;
}

/** What a server is made of that speaks HTTPS, and the name at which the certificate lets it be reached. */
export interface HttpsServing {
  readonly options: {
    readonly createServer: typeof createServer;
    readonly serverOptions: { readonly cert: Buffer; readonly key: Buffer };
  };
  readonly nameFor: (host: string) => string;
  /** Listener of `tlsClientError`. */
  readonly answerPlainly: typeof answerPlainly;
  /** An answer as it goes out. */
  readonly secured: typeof secured;
}

/** How a server speaks HTTPS with a certificate. @throws {ConfigurationError} Certificate or key will not do. */
export function httpsServing(options: HttpsOptions): HttpsServing {
  const { cert, key } = options;
  if (!cert || !key)
    throw refusal(
      'https of listen needs both a certificate and its private key',
      cert ? 'key is missing' : 'cert is missing',
    );
  const certificate = certificateIn(cert);
  if (!certificate.checkPrivateKey(privateKeyIn(key)))
    throw refusal('The certificate and the key of https do not belong together', 'The certificate is for another key');
  return {
    options: { createServer, serverOptions: { cert: Buffer.from(cert), key: Buffer.from(key) } },
    nameFor: (host) => nameFor(certificate, host),
    answerPlainly,
    secured,
  };
}

function certificateIn(cert: HttpsOptions['cert']): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw refusal('The certificate of https cannot be read', whyNot(cert, 'CERTIFICATE'), error);
  }
}

function privateKeyIn(key: HttpsOptions['key']): KeyObject {
  try {
    return createPrivateKey(Buffer.from(key));
  } catch (error) {
    throw refusal('The key of https cannot be read', whyNot(key, 'PRIVATE KEY'), error);
  }
}

/** Why a text is not what was asked for, without quoting it. */
function whyNot(text: string | Uint8Array, wanted: string): string {
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(Buffer.from(text).toString('latin1')) ?? [];
  if (label === undefined) return 'It is not in PEM';
  if (!label.endsWith(wanted)) return `It is PEM of the kind ${label}`;
  return label.startsWith('ENCRYPTED') || /ENCRYPTED/.test(Buffer.from(text).toString('latin1'))
    ? 'It has a passphrase'
    : 'It is damaged';
}

const refusal = (what: string, why: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError(
    'invalid_option',
    {
      what,
      why,
      next: 'Pass a certificate and the private key that it was made for, both in PEM and without a passphrase',
    },
    { cause },
  );

/** The name of this machine that a certificate is for, where it is not for the host itself. */
function nameFor(certificate: X509Certificate, host: string): string {
  const isFor = (name: string): boolean => {
    const address = name.replace(/^\[|\]$/g, '');
    return (isIP(address) ? certificate.checkIP(address) : certificate.checkHost(name)) !== undefined;
  };
  return isLoopback(host) && !isFor(host) && isFor('localhost') ? 'localhost' : host;
}

/** What those are told who speak HTTP at the port of HTTPS. */
const plainText = 'This is the port of the Sallyport emulator for HTTPS. Write https:// in the address.\n';

/** Answer who speaks HTTP in HTTP; for `tlsClientError`. */
function answerPlainly(error: NodeJS.ErrnoException, socket: Socket & { readonly _parent?: Socket }): void {
  // Node keeps the connection beneath the failed one, and names it nowhere; where there is none, nothing is said.
  const { _parent: raw } = socket;
  if (error.code !== 'ERR_SSL_HTTP_REQUEST' || !raw || raw.destroyed) return;
  raw.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${plainText.length}\r\nconnection: close\r\n\r\n${plainText}`,
  );
}

/** The same answer, whose cookies browsers send over HTTPS alone. */
const secured = ({ status, body, headers, breakage, stream }: Answer): Answer =>
  new Answer(
    status,
    body,
    headers.map(([name, value]) => [name, name === 'set-cookie' ? `${value}; Secure` : value]),
    breakage,
    stream,
  );
