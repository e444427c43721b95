import { createServer, type RequestListener } from 'node:http';
import type express from 'express';
import fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import type { Hono } from 'hono';
import { expressSession } from 'sallyport/express';
import { fastifySession } from 'sallyport/fastify';
import { honoSession } from 'sallyport/hono';
import { createSessions, type ProtectOptions } from 'sallyport/session';
import { listening, listeningFastify, listeningFetch } from './hosts.js';

export const sessions = createSessions({
  cookiePassword: 'a password of more than 32 characters',
  clientId: 'client_1',
  baseUrl: 'http://127.0.0.1:9',
});

// The compiler takes Express 4 for the newer one.
const nameOfExpress4: string = 'express4';
export const express4: typeof express = (await import(nameOfExpress4)).default;

/** Start a server. Returns its address. Its pages contain `page of` and the path that the router matched. */
export type Start = (options: ProtectOptions) => Promise<string>;

export const serveApp = async (app: RequestListener): Promise<string> => (await listening(createServer(app))).url;
export const pages = ['/', '/private', '/private/keys', '/about', '/about/team'];

export const onExpress =
  (create: typeof express, mount: (app: express.Express, pagesBelow: (router: express.Router) => void) => void) =>
  (options: ProtectOptions): Promise<string> => {
    const app = create();
    mount(app, (router) => {
      router.use(expressSession(sessions, { signIn: false, ...options }));
      for (const path of pages) router.get(path, (_, response) => void response.send(`page of ${path}`));
    });
    return serveApp(app);
  };

export const onFastify = (options: object, prefix?: string) => async (own: ProtectOptions) => {
  const app: FastifyInstance = fastify(options);
  const plugin: FastifyPluginAsync = async (instance) => {
    await instance.register(fastifySession(sessions, { signIn: false, ...own }));
    for (const path of pages) instance.get(path, async () => `page of ${path}`);
  };
  if (prefix === undefined) await plugin(app, {});
  else await app.register(plugin, { prefix });
  return (await listeningFastify(app)).url;
};

export const onHono =
  (app: Hono, mount: (pagesBelow: Hono) => void = () => undefined, below = app) =>
  async (options: ProtectOptions) => {
    below.use(honoSession(sessions, { signIn: false, ...options }));
    for (const path of pages) below.get(path, (c) => c.text(`page of ${path}`));
    mount(below);
    return (await listeningFetch(app.fetch)).url;
  };
