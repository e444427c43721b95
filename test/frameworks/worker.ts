import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const variables = ['BASE_URL', 'CLIENT_ID', 'API_KEY', 'COOKIE_PASSWORD', 'REDIRECT_URI'].map(
  (name) => `SALLYPORT_${name}`,
);

/** The configuration that `wrangler dev` creates from wrangler.jsonc, with the settings from the environment. */
const configuration = `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "application", worker = .application),
    # The service is on this machine, where workers may not go unless they are let.
    (name = "internet", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", http = (), service = "application")],
);

const application :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "dist/worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [${variables.map((name) => `(name = "${name}", fromEnvironment = "${name}")`).join(', ')}],
);
`;

const example = join(import.meta.dirname, '../../examples/frameworks/hono');
const description = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'));

/** Builds and serves a worker like wrangler: with a bundler and a development server around workerd. */
const scripts = {
  build: 'esbuild src/worker.ts --bundle --format=esm --conditions=workerd,worker,browser --outfile=dist/worker.js',
  start: 'workerd serve worker.capnp --socket-addr=http=*:$PORT',
};

/** The files of the application on Hono that runs as a worker. */
export const filesOfWorker = {
  'package.json': JSON.stringify({ ...description, scripts }),
  'worker.capnp': configuration,
};
