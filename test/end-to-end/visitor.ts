import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { serveWebApp } from '../../examples/web-app.js';
import { type Stage as Service, stage as service } from '../stage.js';
import { password, seed } from './people.js';

/** A tab of a browser, and its user. */
export class Visitor {
  constructor(
    readonly page: Page,
    /** The URL of the application. */
    readonly url: string,
  ) {}

  /** Opens a path of the application, or a URL. */
  async opens(address: string): Promise<void> {
    await this.page.goto(new URL(address, this.url).href);
  }

  /** Fills in fields by their labels. */
  async fills(fields: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) await this.page.getByLabel(label, { exact: true }).fill(value);
  }

  /** Presses a button and waits for the next page. */
  async presses(name: string | RegExp): Promise<void> {
    const button = this.page.getByRole('button', { name, exact: typeof name === 'string' });
    await Promise.all([this.page.waitForEvent('domcontentloaded'), button.click()]);
  }

  /** Follows a link and waits for the next page. */
  async follows(name: string): Promise<void> {
    const link = this.page.getByRole('link', { name, exact: true });
    await Promise.all([this.page.waitForEvent('domcontentloaded'), link.click()]);
  }

  /** The heading of the page. */
  title(): Promise<string | null> {
    return this.page.getByRole('heading', { level: 1 }).textContent();
  }

  /** The first paragraph of the page: at the application, the signed-in user. */
  says(): Promise<string | null> {
    return this.page.getByRole('paragraph').first().textContent();
  }

  /** The error messages of the form. */
  complaints(): Promise<string[]> {
    return this.page.locator('[role=alert] li, .wrong').allTextContents();
  }

  /** Opens the account, and enters the email address at the sign-in page. */
  async givesEmail(email: string): Promise<void> {
    await this.opens('/account');
    await this.fills({ 'Email address': email });
    await this.presses('Continue');
  }

  /** Signs in at the sign-in page. */
  async signsIn(email: string): Promise<void> {
    await this.fills({ 'Email address': email });
    await this.presses('Continue');
    await this.fills({ Password: password });
    await this.presses('Sign in');
  }

  /** Does the same, and enters the password. */
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

/** The application, its service, and a new browser. */
export interface Stage extends Pick<Service, 'emulator' | 'sallyport'> {
  readonly context: BrowserContext;
  /** The URL of the application. */
  readonly url: string;
  /** Opens a tab. */
  open(): Promise<Visitor>;
  /** The number of refresh token exchanges. */
  rotations(): number;
  /** The latest code that was sent to an address or a telephone. */
  codeTo(address: string): string | undefined;
}

/** Sets up everything for one test, and closes it. Fails if a page had an error or was blocked by its policy. */
export async function stage(browser: Browser, options: BrowserContextOptions = {}): Promise<Stage> {
  const { emulator, sallyport } = await service({ seed, listen: true });
  const app = await serveWebApp(emulator);
  const context = await browser.newContext(options);
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('console', (message) => {
    // Browsers log a status of 400 or more as an error; the tests expect some.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    await app.close();
    expect(faults).toEqual([]);
  });
  return {
    emulator,
    sallyport,
    context,
    url: app.url,
    open: async () => new Visitor(await context.newPage(), app.url),
    rotations: () => emulator.served.get('userManagement.authenticateWithRefreshToken') ?? 0,
    codeTo: (address) => emulator.inbox.latest(address)?.code,
  };
}
