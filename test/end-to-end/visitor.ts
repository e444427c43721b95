import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Sallyport } from 'sallyport';
import { createEmulator, type Emulator, type EmulatorOptions } from 'sallyport/emulator';
import { expect, onTestFinished } from 'vitest';
import { serveWebApp } from '../../examples/web-app.js';
import { password, seed } from './people.js';

/** A tab of a browser, and its user. */
export class Visitor {
  constructor(
    readonly page: Page,
    /** Where the application is. */
    readonly url: string,
  ) {}

  /** Opens a path of the application, or an address. */
  async opens(address: string): Promise<void> {
    await this.page.goto(new URL(address, this.url).href);
  }

  /** Fills in fields, by their labels. */
  async fills(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) await this.page.getByLabel(label, { exact: true }).fill(value);
  }

  /** Presses a button and waits for the page it leads to. */
  async presses(name: string | RegExp): Promise<void> {
    const button = this.page.getByRole('button', { name, exact: typeof name === 'string' });
    await Promise.all([this.page.waitForEvent('domcontentloaded'), button.click()]);
  }

  /** Follows a link and waits for the page it leads to. */
  async follows(name: string): Promise<void> {
    const link = this.page.getByRole('link', { name, exact: true });
    await Promise.all([this.page.waitForEvent('domcontentloaded'), link.click()]);
  }

  /** The heading of the page. */
  title(): Promise<string | null> {
    return this.page.getByRole('heading', { level: 1 }).textContent();
  }

  /** What the page says first: at the application, who is signed in. */
  says(): Promise<string | null> {
    return this.page.getByRole('paragraph').first().textContent();
  }

  /** The error messages of the form. */
  complaints(): Promise<string[]> {
    return this.page.locator('[role=alert] li, .wrong').allTextContents();
  }

  /** Goes to the account, and at the sign-in page as far as the password. */
  async givesEmail(email: string): Promise<void> {
    await this.opens('/account');
    await this.fills({ 'Email address': email });
    await this.presses('Continue');
  }

  /** The same, and gives the password. */
  async givesPassword(email: string, typed = password): Promise<void> {
    await this.givesEmail(email);
    await this.fills({ Password: typed });
    await this.presses('Sign in');
  }

  async givesCode(code: string | undefined, name: string = 'Continue'): Promise<void> {
    await this.fills({ Code: code ?? '' });
    await this.presses(name);
  }
}

/** The text of the account page for its user. */
export const signedIn = (email: string, organization = 'none'): string =>
  `Signed in as ${email}, organization: ${organization}.`;

/** The application, the service it signs people in at, and a fresh browser. */
export interface Stage {
  readonly emulator: Emulator;
  readonly sallyport: Sallyport;
  readonly context: BrowserContext;
  /** Where the application is. */
  readonly url: string;
  /** Opens a tab. */
  open(): Promise<Visitor>;
  /** How often a refresh token was exchanged. */
  rotations(): number;
  /** The newest code that an address or a telephone got. */
  codeTo(address: string): string | undefined;
}

/** Sets everything up for one test, and takes it down. No page may have failed, or been stopped by its policy. */
export async function stage(
  browser: Browser,
  options: EmulatorOptions = {},
  contextOptions: BrowserContextOptions = {},
): Promise<Stage> {
  const emulator = await createEmulator({ clock: '2026-01-01T00:00:00.000Z', seed, ...options });
  await emulator.listen();
  const app = await serveWebApp(emulator);
  const context = await browser.newContext(contextOptions);
  context.setDefaultTimeout(10_000);
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('console', (message) => {
    // That a status is 400 or more is an error to browsers, and not to us.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    await app.close();
    await emulator.close();
    expect(faults).toEqual([]);
  });
  return {
    emulator,
    sallyport: new Sallyport({ ...emulator.credentials }),
    context,
    url: app.url,
    open: async () => new Visitor(await context.newPage(), app.url),
    rotations: () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0,
    codeTo: (address) => emulator.inbox.latest(address)?.code,
  };
}
