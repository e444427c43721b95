// The script of the console's pages, which also work without it. On a live message, it fetches the page again and shows it.
// `npm run docs` bundles this folder into the text in ../script.ts. So sources and build send the same script, without compiling it
// when a page is opened.
import { addCopyButtons } from './copy-buttons.js';
import { show } from './show.js';

const kinds = document.querySelector('main')?.dataset.live?.split(' ') ?? [];
let source: EventSource | undefined;
let isPaused = false;
let isDue = false;
let isReloading = false;

async function reload(): Promise<void> {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    // Remove the style: it has not changed, and its nonce would violate the content security policy of this page.
    const text = (await answer.text()).replace(/<style[^<]*<\/style>/, '');
    // A 404 is shown too, because the object may have been deleted.
    if ((answer.ok || answer.status === 404) && !isPaused) show(new DOMParser().parseFromString(text, 'text/html'));
  } catch {
    // The emulator has stopped. The page reloads when it reconnects.
  }
}

async function scheduleReload(): Promise<void> {
  isDue = true;
  if (isReloading) return;
  isReloading = true;
  // A change during a reload may be missing from it, so reload again.
  while (isDue) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    isDue = false;
    await reload();
  }
  isReloading = false;
}

/** Keep the page up to date. Shows the state of the connection and a pause button in `bar`. */
function follow(bar: HTMLElement, url: string): void {
  const state = document.createElement('span');
  const button = document.createElement('button');
  const showState = (text: string): void => {
    if (state.textContent !== text) state.textContent = text;
    bar.dataset.state = text;
  };
  const disconnect = (): void => {
    source?.close();
    source = undefined;
  };
  const listen = (): void => {
    if (source || isPaused || document.hidden) return;
    source = new EventSource(url);
    // Changes before the connection was open are not in the stream.
    source.onopen = () => {
      showState('Live');
      void scheduleReload();
    };
    source.onerror = () => {
      showState('Reconnecting');
      if (source?.readyState !== EventSource.CLOSED) return;
      disconnect();
      setTimeout(listen, 2000);
    };
    for (const kind of kinds) source.addEventListener(kind, scheduleReload);
  };

  state.setAttribute('role', 'status');
  button.type = 'button';
  button.textContent = 'Pause';
  bar.dataset.client = '';
  bar.append(state, button);
  bar.hidden = false;
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? 'Resume' : 'Pause';
    if (!isPaused) return listen();
    disconnect();
    showState('Paused');
  });
  // Browsers limit the connections to one host, so hidden pages disconnect.
  document.addEventListener('visibilitychange', () => (document.hidden ? disconnect() : listen()));
  addEventListener('pagehide', disconnect);
  addEventListener('pageshow', listen);
  listen();
}

const bar = document.querySelector<HTMLElement>('.live');
if (bar?.dataset.url) follow(bar, bar.dataset.url);
addCopyButtons();
