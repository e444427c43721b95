import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Loads a package that is installed in a folder of test/outsiders. */
export const load = (folder, name) =>
  import(pathToFileURL(createRequire(pathToFileURL(`${folder}/package.json`)).resolve(name)).href);

/** Runs steps in order, which may depend on each other, and prints the result of each as a line of JSON. */
export async function report(steps) {
  const outcomes = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      outcomes[name] = { value: await step() };
    } catch (error) {
      const { name: kind, message, status, code } = error;
      outcomes[name] = { error: { kind, message, status, code } };
    }
  }
  process.stdout.write(JSON.stringify(outcomes, (_, value) => value ?? null));
}

/** Follows redirects like a browser, up to the first URL outside the service. */
export async function follow(address, origin) {
  let location = address;
  const cookies = new Map();
  while (location.startsWith(origin)) {
    const response = await fetch(location, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (!next) throw new Error(`${location} answered ${response.status} and leads nowhere: ${await response.text()}`);
    location = new URL(next, location).href;
  }
  return Object.fromEntries(new URL(location).searchParams);
}
