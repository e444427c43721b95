/** The largest bundles a user's bundler may make, minified and gzipped, in bytes. */
export const budgets = {
  /** The client with all its rooms; ky alone is 9 KB of it. The aim is 30 KB: lower this whenever it can be lowered. */
  client: 35 * 1024,
  /** Checking webhooks and nothing else. */
  webhooks: 1.5 * 1024,
};

/** A program of a user's for each budget. */
export const programs: Readonly<Record<keyof typeof budgets, string>> = {
  client: "import { Sallyport } from 'sallyport';\nglobalThis.sallyport = new Sallyport({ clientId: 'client_42' });",
  webhooks: "import { verifyWebhook } from 'sallyport/webhooks';\nglobalThis.verify = verifyWebhook;",
};

/** Files that have no business in what runs beside an application. */
export const strangersIn = (files: readonly string[]): string[] =>
  files.filter((file) => /(?:^|\/)src\/(?:emulator|cli)\/|node_modules\/(?:zod|hono|@hono|yaml|ajv)\//.test(file));
