// Everything that 'sallyport/testing' exports.

export type { Hook, WorldFixture, WorldHooks } from './fixtures.js';
export { type Answering, type MswHttp, mswHandlers } from './msw.js';
export type { SealingOptions, SignedIn, SignInAsOptions, StorageState, StoredCookie } from './signed-in.js';
export { type StoreCheck, type StoreContractOptions, storeContract } from './store-contract.js';
export { type BrowserPage, type PageRequest, type Site, TestBrowser, type TestBrowserOptions } from './test-browser.js';
export type { EventMatch, ExpectEventOptions, NewTestWorld, TestClock, TestWorld } from './world.js';
export { type TestWorlds, type TestWorldsOptions, testWorlds } from './worlds.js';
