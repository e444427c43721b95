import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious and critical findings of axe on a page, each by its rule and the elements it is about. */
export async function findingsOn(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which the page's policy does not hold for.
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document)')) as {
    readonly violations: readonly {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}
