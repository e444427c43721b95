import { BrowserError } from './browser-error.js';
import { pauseMs } from './failure.js';

/** What few pages need, loaded by the first who needs it. @throws {BrowserError} `retry_later`: it did not come. */
export const loadedLater = () =>
  import('./loaded-later.js').catch((cause) => {
    throw new BrowserError(
      'retry_later',
      {
        what: 'A part of sallyport/browser could not be loaded',
        why: 'The network is down, or a newer release of this site has taken its place',
        next: 'Reload the page; nobody was signed out',
        reason: 'network_error',
        retryAfterMs: pauseMs,
      },
      { cause },
    );
  });
