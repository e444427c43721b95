// The peers with their default options, pointed at one URL.
import { WorkOS } from '@workos-inc/node';
import ky from 'ky';
import OpenAI from 'openai';
import Stripe from 'stripe';

export const openai = (url) => new OpenAI({ apiKey: 'sk_test_bench', baseURL: `${url}/v1` });

export const workos = (url, options = {}) => {
  const { hostname, port } = new URL(url);
  return new WorkOS('sk_test_bench', { apiHostname: hostname, port: Number(port), https: false, ...options });
};

/** Create a Stripe client that uses node:http, its default, or fetch, as on other runtimes. */
export const stripe = (url, { onFetch = false } = {}) => {
  const { hostname, port } = new URL(url);
  return new Stripe('sk_test_bench', {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    telemetry: false,
    ...(onFetch && { httpClient: Stripe.createFetchHttpClient() }),
  });
};

const headers = { accept: 'application/json', authorization: 'Bearer sk_test_bench' };

/** Call with only fetch and JSON.parse. */
export const byFetch = async (url, init) => {
  const response = await fetch(url, { headers, ...init });
  return JSON.parse(await response.text());
};

const kyOptions = { method: 'GET', headers, redirect: 'manual', retry: 0, timeout: false, throwHttpErrors: false };

/** Call with ky instead of the client: no retries, no timeout, an abort signal. */
export const byKy = async (url, init) => {
  const { signal } = new AbortController();
  const response = await ky(url, { ...kyOptions, signal, ...init });
  return JSON.parse(await response.text());
};

/**
 * Call ky like the client does. The URL, headers and signal are passed directly to fetch, so that fetch copies no request and ky
 * does not combine the signal with another one.
 */
export const byKyAsClient = async (url, init) => {
  const { signal } = new AbortController();
  const method = init?.method ?? 'GET';
  const response = await ky(url, {
    method,
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    fetch: () => fetch(url, { method, headers, redirect: 'manual', signal, ...init }),
  });
  return JSON.parse(await response.text());
};
