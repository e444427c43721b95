import { BrowserError } from './browser-error.js';
import { pauseMs } from './failure.js';

/** Load the code that few pages need. @throws {BrowserError} `retry_later`: it could not be loaded. */
export const loadedLater = () =>
  import('./rare-pages.js').catch((cause) => {
    throw new BrowserError(
      'retry_later',
      {
        what: 'A part of sallyport/browser could not be loaded',
        why: 'The network is down, or a newer release of this site has replaced it',
        next: 'Reload the page; the session continues',
        reason: 'network_error',
        retryAfterMs: pauseMs,
      },
      { cause },
    );
  });
