import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { launchChromium } from '../browser/chromium.js';
import { applicationsBeside } from '../builds/cache.js';
import { freePort } from '../frameworks/scripts.js';
import { unpackInto } from '../package/install.js';
import { missingOf, requires } from '../runner/requirements.js';
import { commandLine, type Running, untilPrinted } from './programs.js';

const here = import.meta.dirname;

/** The projects that framework generators write, with their dependencies. */
const projects = [
  {
    title: 'Next',
    project: 'next',
    packages: 'next',
    writes: ['sallyport.ts', 'proxy.ts', 'app/account/page.tsx', '.env.local'],
    command: (port: number) => ['npm', 'run', 'dev', '--', '--port', `${port}`],
  },
  {
    title: 'SvelteKit',
    project: 'sveltekit',
    packages: 'sveltekit-2',
    writes: [
      'src/lib/server/sessions.ts',
      'src/hooks.server.ts',
      'src/sallyport.d.ts',
      'src/routes/account/+page.server.ts',
      'src/routes/account/+page.svelte',
      '.env',
    ],
    command: (port: number) => ['npm', 'run', 'dev', '--', '--port', `${port}`],
  },
  {
    title: 'Express',
    project: 'express',
    packages: 'express',
    writes: ['sallyport.js', 'server.js', '.env'],
    command: () => ['node', '--watch', 'server.js'],
  },
  {
    title: 'Express with a server',
    project: 'express',
    packages: 'express',
    own: {
      file: 'index.js',
      /** The server with the lines that init prints. */
      text: (lines: string) =>
        `const express = require('express');\nconst app = express();\n${lines}\napp.listen(process.env.PORT);\n`,
    },
    writes: ['sallyport.js', '.env'],
    command: () => ['node', '--watch', 'index.js'],
  },
];

/** A use of the names that init declares. */
const uses = `import type { CurrentSession } from 'sallyport/session';

export const mayRead = (session: CurrentSession): boolean => session.has({ permission: 'reports:read' });
// @ts-expect-error The declaration has no such permission.
export const mayDelete = (session: CurrentSession): boolean => session.has({ permission: 'reports:delete' });
`;

/** The runtime that newer frameworks need, as `node`. */
const folderOfNode = (): string => {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = folders.find((folder) => missingOf(['node22'], folder).length === 0) ?? '';
  return dirname(realpathSync(join(found, 'node22')));
};

for (const { title, project, packages, own, writes, command } of projects)
  requires(
    'chromium-headless-shell',
    'node22',
    `test/frameworks/installed/${packages}/node_modules`,
  )(`a new project on ${title}`, () => {
    const { run } = commandLine();
    let folder: string;
    let browser: Browser;
    let port: number;
    let dev: Running;
    let printed: string;

    const env = (): NodeJS.ProcessEnv => ({
      NO_COLOR: '1',
      // Like the machine of a developer, without the settings of these tests.
      NODE_ENV: undefined,
      VITEST: undefined,
      NEXT_TELEMETRY_DISABLED: '1',
      NEXT_IGNORE_INCORRECT_LOCKFILE: '1',
      PORT: `${port}`,
      PATH: [folderOfNode(), join(folder, '../../node_modules/.bin'), process.env.PATH].join(delimiter),
    });
    const npx = (...args: string[]): Running =>
      run('npx', ['--no-install', 'sallyport', ...args], { cwd: folder, env: env() });
    const home = (): string => `http://localhost:${port}`;

    beforeAll(async () => {
      const applications = applicationsBeside(join(here, '../frameworks/installed', packages, 'node_modules'));
      folder = mkdtempSync(join(applications, 'first-minutes-'));
      cpSync(join(here, 'projects', project), folder, { recursive: true });
      // The result of npm install sallyport.
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      manifest.dependencies = { ...manifest.dependencies, sallyport: '^0.1.0' };
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
      await unpackInto(join(folder, 'node_modules'));
      port = await freePort();
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Wait until the application answers. */
    const answers = async (): Promise<void> => {
      while (!(await fetch(home()).catch(() => undefined)) && dev.child.exitCode === null) await pause(50);
      // Otherwise, another program has taken the port and answers.
      expect(dev.child.exitCode).toBeNull();
    };

    /**
     * Let Next look for proxy.ts again if it has overlooked the file, until the file changes. This happens if the machine is so busy
     * that Next 16.4 sees the pages first, and then applies its first list of files after the complete one.
     */
    const runsProxy = async (): Promise<void> => {
      while ((await fetch(`${home()}/sign-in`, { redirect: 'manual' })).status === 404) {
        utimesSync(join(folder, 'proxy.ts'), new Date(), new Date());
        await pause(500);
      }
    };

    /** The compiler errors about the declaration and its use. */
    const complaints = async (): Promise<string[]> => {
      const compiler = join(here, '../../node_modules/typescript/bin/tsc');
      const { output, exit } = run('node', [compiler, '--noEmit', '--incremental', 'false', '--pretty', 'false'], {
        cwd: folder,
        env: env(),
      });
      await exit;
      return output.out.match(/^.*\b(?:uses|names)\.ts\b.*/gm) ?? [];
    };

    const read = async (page: Page, text: string): Promise<void> =>
      page.getByText(text, { exact: true }).waitFor({ timeout: 120_000 });

    test('shows a page to a signed-in user after sallyport init and sallyport dev', { timeout: 240_000 }, async () => {
      const began = performance.now();
      if (own) writeFileSync(join(folder, own.file), own.text(''));
      const init = npx('init');
      expect(await init.exit).toBe(own ? 1 : 0);
      printed = init.output.out;
      const [, lines = ''] = init.output.out.match(/add a page:\n\n([\s\S]*?)\nNext steps/) ?? [];
      if (own) writeFileSync(join(folder, own.file), own.text(lines));
      expect(init.output.out.match(/(?<=(?:wrote|added) +)\S+/g)).toEqual(
        project === 'express' ? [...writes, '.gitignore'] : writes,
      );

      const back = `${home()}/callback`;
      dev = npx('dev', '--port', '0', '--redirect-uri', back, '--', ...command(port));
      await answers();
      if (project === 'next') await runsProxy();
      const [, email, password] = dev.output.err.match(/Sign in as (\S+) with the password (.+)/) ?? [];

      const page = await browser.newPage();
      onTestFailed(async () => {
        const text = await page.innerText('body', { timeout: 5_000 }).catch(String);
        console.error(page.url(), text, dev.output.out, dev.output.err);
      });
      await page.goto(`${home()}/account?plan=team`);
      await page.getByLabel('Email address').fill(email!);
      await page.getByRole('button', { name: 'Continue', exact: true }).click();
      await page.getByLabel('Password', { exact: true }).fill(password!);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await read(page, `You are signed in as ${email}.`);
      const tookMs = performance.now() - began;
      expect(page.url()).toBe(`${home()}/account?plan=team`);
      // Read by bench/first-minutes.mjs.
      if (process.env.FIRST_MINUTES)
        appendFileSync(process.env.FIRST_MINUTES, `${JSON.stringify({ project, tookMs })}\n`);

      if (project === 'express') {
        // The application starts again, as after every change of a file.
        appendFileSync(join(folder, command(port).at(-1)!), "\nconsole.log('once again');\n");
        await untilPrinted(dev, 'once again');
        await answers();
        await page.reload();
        await read(page, `You are signed in as ${email}.`);
      }

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL(`${home()}/`);
      await page.goto(`${home()}/account`);
      await page.getByLabel('Email address').waitFor();

      // A terminal sends the signal to every program in the foreground.
      process.kill(-dev.child.pid!, 'SIGINT');
      await dev.exit;
      await expect(fetch(home())).rejects.toThrow('fetch failed');
    });

    if (project !== 'express')
      test('has types for the declared permissions after sallyport init', { timeout: 120_000 }, async () => {
        const sources = join(folder, dirname(writes[0]!));
        const [, declaration = ''] = printed.match(/in a \.ts file:\n\n([\s\S]+)$/) ?? [];
        writeFileSync(join(sources, 'uses.ts'), uses);

        writeFileSync(join(sources, 'names.ts'), declaration);
        expect(await complaints()).toEqual([]);

        writeFileSync(join(sources, 'names.ts'), declaration.replace("import 'sallyport';", ''));
        expect(await complaints()).not.toEqual([]);
      });

    test('keeps an existing file when sallyport init runs a second time', async () => {
      writeFileSync(join(folder, writes[0]!), '// mine\n');

      const { output, exit } = npx('init');

      expect(await exit).toBe(1);
      expect(output.out).toContain(`${writes[0]} already exists and was not changed. Run init with --force`);
      expect(readFileSync(join(folder, writes[0]!), 'utf8')).toBe('// mine\n');
    });
  });
