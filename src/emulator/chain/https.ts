import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createServer } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { ConfigurationError } from '../../errors/index.js';
import { Answer } from '../http/answer.js';
import { isLoopback } from '../http/loopback.js';

/** Certificate and private key for HTTPS, both in PEM. */
export interface HttpsOptions {
  /** The certificate, followed by its intermediate certificates, if any. */
  readonly cert: string | Uint8Array;
  /** The private key of the certificate, without a passphrase. */
  readonly key: string | Uint8Array;
}

/** Settings and functions of an HTTPS server. */
interface HttpsServing {
  readonly options: {
    readonly createServer: typeof createServer;
    readonly serverOptions: { readonly cert: Buffer; readonly key: Buffer };
  };
  /** Returns the host name for URLs, which the certificate covers if possible. */
  readonly nameFor: (host: string) => string;
  /** Listener of `tlsClientError`. */
  readonly answerHttp: typeof answerHttp;
  readonly withSecureCookies: typeof withSecureCookies;
}

/** Prepare HTTPS with a certificate. @throws {ConfigurationError} The certificate or key is invalid. */
export function httpsServing(options: HttpsOptions): HttpsServing {
  const { cert, key } = options;
  if (!cert || !key)
    throw refusal(
      'https of listen needs both a certificate and its private key',
      cert ? 'key is missing' : 'cert is missing',
    );
  const certificate = certificateIn(cert);
  if (!certificate.checkPrivateKey(privateKeyIn(key)))
    throw refusal(
      'The certificate and the key of https do not belong together',
      'The certificate was made for another key',
    );
  return {
    options: { createServer, serverOptions: { cert: Buffer.from(cert), key: Buffer.from(key) } },
    nameFor: (host) => nameFor(certificate, host),
    answerHttp,
    withSecureCookies,
  };
}

function certificateIn(cert: HttpsOptions['cert']): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw refusal('The certificate of https cannot be read', pemProblem(cert, 'CERTIFICATE'), error);
  }
}

function privateKeyIn(key: HttpsOptions['key']): KeyObject {
  try {
    return createPrivateKey(Buffer.from(key));
  } catch (error) {
    throw refusal('The key of https cannot be read', pemProblem(key, 'PRIVATE KEY'), error);
  }
}

/** Explain why a text is not the expected PEM, without quoting it. */
function pemProblem(text: string | Uint8Array, expectedLabel: string): string {
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(Buffer.from(text).toString('latin1')) ?? [];
  if (label === undefined) return 'It is not in PEM';
  if (!label.endsWith(expectedLabel)) return `Its PEM label is ${label}`;
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
      next: 'Pass a certificate and its private key, both in PEM and without a passphrase',
    },
    { cause },
  );

/** Return `localhost` instead of a loopback address if the certificate only covers `localhost`. */
function nameFor(certificate: X509Certificate, host: string): string {
  const isFor = (name: string): boolean => {
    const address = name.replace(/^\[|\]$/g, '');
    return (isIP(address) ? certificate.checkIP(address) : certificate.checkHost(name)) !== undefined;
  };
  return isLoopback(host) && !isFor(host) && isFor('localhost') ? 'localhost' : host;
}

/** Reply to plain HTTP on the HTTPS port. */
const httpReply = 'This port of the Sallyport emulator only accepts HTTPS. Use https:// in the address.\n';

/** Answer a plain HTTP request on the HTTPS port. Listener of `tlsClientError`. */
function answerHttp(error: NodeJS.ErrnoException, socket: Socket & { readonly _parent?: Socket }): void {
  // Only this undocumented property has the raw connection. Without it, the request gets no reply.
  const { _parent: raw } = socket;
  if (error.code !== 'ERR_SSL_HTTP_REQUEST' || !raw || raw.destroyed) return;
  raw.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${httpReply.length}\r\nconnection: close\r\n\r\n${httpReply}`,
  );
}

/** Copy a response, with `Secure` on its cookies so that browsers send them only over HTTPS. */
const withSecureCookies = ({ status, body, headers, connectionFailure, stream }: Answer): Answer =>
  new Answer(
    status,
    body,
    headers.map(([name, value]) => [name, name === 'set-cookie' ? `${value}; Secure` : value]),
    connectionFailure,
    stream,
  );
