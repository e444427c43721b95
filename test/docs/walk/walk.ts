import { stripVTControlCharacters } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { Project } from './project.js';
import type { PlacedStep, Step } from './steps.js';

/** Take one step after the other, as a reader would. @throws {Error} The first step with another result than the page says. */
export async function walk(steps: readonly PlacedStep[], project: Project, browser: Browser): Promise<void> {
  const reader = new Reader(project, browser);
  try {
    for (const step of steps)
      await reader.follow(step).catch(async (cause: Error) => {
        const { line, ...rest } = step;
        const failure = `line ${line}: ${JSON.stringify(rest)} failed. ${cause.message}`;
        throw new Error(`${failure}${await reader.surroundings()}`, { cause });
      });
  } finally {
    await reader.leave();
  }
}

class Reader {
  readonly #project: Project;
  readonly #browser: Browser;
  #page: Page | undefined;
  /** The page to return to from the private window. */
  #usual: Page | undefined;
  #printed = '';

  constructor(project: Project, browser: Browser) {
    this.#project = project;
    this.#browser = browser;
  }

  async follow(step: Step): Promise<void> {
    switch (step.kind) {
      case 'run':
        this.#printed = await this.#project.type(step.command);
        return;
      case 'printed':
        return expectPrinted(this.#printed, step.text);
      case 'write':
        return this.#project.write(step.file, step.text);
      case 'says':
        return this.#project.hears(step.text);
      case 'interrupt':
        await this.leave();
        return this.#project.interrupt();
      case 'private':
        return this.#changeWindow(step.isPrivate);
      case 'open':
        this.#page ??= await this.#open();
        await this.#page.goto(step.url);
        return;
      case 'press': {
        const { name } = step;
        const page = this.#shown();
        await page.getByRole('button', { name }).or(page.getByRole('link', { name })).click();
        return;
      }
      case 'enter':
        await this.#shown().getByLabel(step.label, { exact: true }).fill(step.text);
        return;
      case 'see':
        return this.#sees(step.text);
    }
  }

  /** The page that the reader has open. */
  async surroundings(): Promise<string> {
    const shown = await this.#page?.locator('body').innerText();
    return [
      shown && `\n${this.#page?.url()} shows: ${shown}`,
      `\nThe first terminal shows: ${this.#project.said}`,
    ].join('');
  }

  /** Wait for a text. The application may need time for a new file, so the page is loaded again. */
  async #sees(text: string): Promise<void> {
    const shown = () => this.#shown().getByText(text, { exact: true }).first();
    for (let tries = 0; tries < 4; tries++) {
      const seen = await shown()
        .waitFor({ timeout: 10_000 })
        .then(() => true)
        .catch(() => false);
      if (seen) return;
      await this.#shown().reload();
    }
    return shown().waitFor({ timeout: 20_000 });
  }

  /** Close every window. */
  async leave(): Promise<void> {
    for (const page of [this.#page, this.#usual]) await page?.context().close();
    this.#page = undefined;
    this.#usual = undefined;
  }

  #shown(): Page {
    if (!this.#page) throw new Error('No page is open.');
    return this.#page;
  }

  async #open(): Promise<Page> {
    const context = await this.#browser.newContext();
    // In development, a page is compiled when it is opened for the first time.
    context.setDefaultTimeout(60_000);
    return context.newPage();
  }

  async #changeWindow(isPrivate: boolean): Promise<void> {
    if (isPrivate) {
      this.#usual = this.#page;
      this.#page = await this.#open();
      return;
    }
    await this.#page?.context().close();
    this.#page = this.#usual;
    this.#usual = undefined;
  }
}

/** Compare line by line. The output may have lines that the page omits. */
function expectPrinted(printed: string, text: string): void {
  let rest = stripVTControlCharacters(printed);
  for (const line of text.trim().split('\n')) {
    const parts = line.trim().split('…');
    const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
    const found = new RegExp(pattern).exec(rest);
    if (!found) throw new Error(`${JSON.stringify(line)} is not there, or not in this order, in: ${printed}`);
    rest = rest.slice(found.index + found[0].length);
  }
}
