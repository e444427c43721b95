import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const pictures = fileURLToPath(new URL('../../../.artifacts/hosted/', import.meta.url));

/** Colors do not change the layout, so each width and each color scheme is checked once. */
const screens = [
  [360, 'light'],
  [1440, 'dark'],
] as const;

/** Returns the problems of a page on a telephone in light colors and on a desktop in dark ones, with a screenshot of each in `.artifacts/hosted`. */
export async function findingsOnScreens(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [width, colorScheme] of screens) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
    await page.emulateMedia({ colorScheme });
    const findings: string[] = [];
    if (await page.evaluate('document.documentElement.scrollWidth > window.innerWidth'))
      findings.push('it has to be scrolled sideways');
    findings.push(...(await findingsOn(page)));
    if (findings.length === 0) continue;
    const picture = `${name}-${width}-${colorScheme}.png`;
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: pictures + picture, fullPage: true });
    found.push(...findings.map((finding) => `${picture}: ${finding}`));
  }
  return found;
}

/** Returns the serious and critical findings of axe on a page, each with its rule and its elements. */
async function findingsOn(page: Page): Promise<string[]> {
  // The debugger evaluates it, because the page's policy does not apply to the debugger.
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe);
  // Only the violations are needed, and everything else would take long to send.
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
}
