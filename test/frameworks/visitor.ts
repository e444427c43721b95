import type { BrowserContext, Page } from 'playwright-core';
import type { Jar } from '../session/jar.js';
import { password } from './people.js';

/** A tab of a browser, and its user. */
export class Visitor {
  private constructor(
    readonly page: Page,
    /** The URL of the application, with a slash at the end. */
    readonly home: string,
    /** The errors in the console of this tab. */
    readonly complaints: readonly string[],
  ) {}

  static async in(context: BrowserContext, home: string): Promise<Visitor> {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.location().url}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return new Visitor(page, home, complaints);
  }

  /** Opens another tab of the same browser. */
  another(): Promise<Visitor> {
    return Visitor.in(this.page.context(), this.home);
  }

  /** Opens a path of the application, and returns the status of the answer. */
  async opens(path: string): Promise<number | undefined> {
    const response = await this.page.goto(new URL(path, this.home).href);
    return response?.status();
  }

  /** Opens a path and waits until the page is idle and its scripts run. */
  async settlesAt(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.home).href, { waitUntil: 'networkidle' });
  }

  /** Waits until a paragraph contains this. */
  async reads(text: string): Promise<void> {
    await this.page.getByText(text, { exact: true }).waitFor();
  }

  async follows(link: string): Promise<void> {
    await this.page.getByRole('link', { name: link, exact: true }).click();
  }

  async presses(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).click();
  }

  /** Types into the field with this label. */
  async types(label: string, text: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Enters the email address and the password on the pages of the service. */
  async signsInAs({ email }: { readonly email: string }): Promise<void> {
    await this.types('Email address', email);
    await this.presses('Continue');
    await this.types('Password', password);
    await this.presses('Sign in');
  }

  /** The path of this tab, from the root of the application. */
  get path(): string {
    const { origin, pathname, search } = new URL(this.page.url());
    return `${origin}/` === this.home ? pathname + search : this.page.url();
  }

  /** Waits until this tab is at a path of the application. */
  async arrivesAt(path: string): Promise<void> {
    await this.page.waitForURL(new URL(path, this.home).href);
  }

  /** Sets these cookies, like an answer of the application. */
  async gets(jar: Jar): Promise<void> {
    const cookies = jar.header.split('; ').map((pair) => {
      const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
      return { name, value, url: this.home, httpOnly: true, sameSite: 'Lax' as const };
    });
    await this.page.context().addCookies(cookies);
  }

  /** The names and values of its cookies for the application. */
  async cookies(): Promise<Readonly<Record<string, string>>> {
    const all = await this.page.context().cookies(this.home);
    return Object.fromEntries(all.map(({ name, value }) => [name, value]));
  }
}
