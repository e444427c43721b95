import type { TestBrowser } from 'sallyport/testing';

/** Open the home page, the account page (which requires sign-in) and the home page again, then sign out. Prints each page. */
export async function visit(browser: TestBrowser, site: string): Promise<void> {
  for (const path of ['/', '/account', '/']) console.log((await browser.open(site + path)).text);
  console.log((await browser.open(`${site}/sign-out`, { method: 'POST' })).text);
}
