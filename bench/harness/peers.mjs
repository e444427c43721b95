// The peers, each with its defaults and pointed at one address.
import { WorkOS } from '@workos-inc/node';
import ky from 'ky';
import OpenAI from 'openai';
import Stripe from 'stripe';

export const openai = (url) => new OpenAI({ apiKey: 'sk_test_bench', baseURL: `${url}/v1` });

export const workos = (url, options = {}) => {
  const { hostname, port } = new URL(url);
  return new WorkOS('sk_test_bench', { apiHostname: hostname, port: Number(port), https: false, ...options });
};

/** Stripe on its own node:http client, its default, or on fetch as on any other runtime. */
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

/** fetch and JSON.parse, nothing else. */
export const byFetch = async (url) => {
  const response = await fetch(url, { headers });
  return JSON.parse(await response.text());
};

const kyOptions = { method: 'GET', headers, redirect: 'manual', retry: 0, timeout: false, throwHttpErrors: false };

/** ky as one would use it in place of the client: no retries, no timeout, a signal to abort by. */
export const byKy = async (url) => {
  const { signal } = new AbortController();
  const response = await ky(url, { ...kyOptions, signal });
  return JSON.parse(await response.text());
};

/**
 * ky called as the client calls it: address, headers and signal go past ky to fetch, in one piece, so that fetch copies no request
 * and ky joins the signal with none of its own.
 */
export const byKyAsClient = async (url) => {
  const { signal } = new AbortController();
  const response = await ky(url, {
    method: 'GET',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    fetch: () => fetch(url, { method: 'GET', headers, redirect: 'manual', signal }),
  });
  return JSON.parse(await response.text());
};
