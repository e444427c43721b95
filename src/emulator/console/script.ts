/**
 * What pages of the console do where JavaScript is there. A page looks at itself again when it hears that something has happened, and
 * takes over what is new in its live parts: above what is there, which stays as it is, so that whoever reads keeps their
 * place, the focus, and what they have opened. Listings get a button that copies them.
 */
export const consoleScript = `
const parts = () => document.querySelectorAll('[data-live]');
const bar = document.querySelector('.live');
const state = document.createElement('span');
const button = document.createElement('button');
let source;
let isPaused = false;
let isDue = false;
let isLooking = false;

const isHeld = (element) => element.contains(document.activeElement) || element.querySelector('details[open]') !== null;

const mergeRows = (part, rows) => {
  const known = new Map([...part.querySelectorAll('[data-id]')].map((row) => [row.dataset.id, row]));
  const [first] = known.values();
  if (!first || !rows.some((row) => known.has(row.dataset.id))) return false;
  const list = first.parentElement;
  let at = list.firstElementChild;
  const dropUntil = (end) => {
    while (at && at !== end) {
      const row = at;
      at = at.nextElementSibling;
      if (!isHeld(row)) row.remove();
    }
  };
  for (const row of rows) {
    const own = known.get(row.dataset.id);
    if (!own) {
      list.insertBefore(row, at);
      if (matchMedia('(prefers-reduced-motion: no-preference)').matches) row.animate({ opacity: [0, 1] }, 250);
      continue;
    }
    dropUntil(own);
    at = own.nextElementSibling;
    if (!own.isEqualNode(row) && !isHeld(own)) own.replaceWith(row);
  }
  dropUntil(null);
  return true;
};

const merge = (part, fresh) => {
  if (part.isEqualNode(fresh)) return;
  const visible = [...part.querySelectorAll('[data-id]')].find((row) => row.getBoundingClientRect().bottom > 0);
  const isReading = part.getBoundingClientRect().top < 0;
  const before = visible?.getBoundingClientRect().top;
  const rows = [...fresh.querySelectorAll('[data-id]')];
  if (!mergeRows(part, rows) && !(rows.length === 0 && isHeld(part))) part.replaceChildren(...fresh.childNodes);
  if (isReading && visible?.isConnected) scrollBy(0, visible.getBoundingClientRect().top - before);
};

const look = async () => {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    if (answer.ok && !isPaused) {
      const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
      for (const part of parts()) {
        const fresh = now.getElementById(part.id);
        if (fresh && !isPaused) merge(part, fresh);
      }
    }
  } catch {
    // The emulator has stopped; when it is back, the page looks again.
  }
};
const soon = async () => {
  isDue = true;
  if (isLooking) return;
  isLooking = true;
  // What comes while the page looks may have come too late for this look.
  while (isDue) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    isDue = false;
    await look();
  }
  isLooking = false;
};

const say = (word) => {
  if (state.textContent !== word) state.textContent = word;
  bar.dataset.state = word;
};
const listen = () => {
  if (source || isPaused || document.hidden) return;
  source = new EventSource(bar.dataset.url);
  // What has happened meanwhile nobody has said.
  source.onopen = () => {
    say('Live');
    soon();
  };
  source.onerror = () => {
    say('Reconnecting');
    if (source?.readyState !== EventSource.CLOSED) return;
    leave();
    setTimeout(listen, 2000);
  };
  const kinds = new Set([...parts()].flatMap((part) => part.dataset.live.split(' ')));
  for (const kind of [...kinds, 'gap']) source.addEventListener(kind, soon);
};
const leave = () => {
  source?.close();
  source = undefined;
};

if (bar) {
  state.setAttribute('role', 'status');
  button.type = 'button';
  button.textContent = 'Pause';
  bar.append(state, button);
  bar.hidden = false;
  button.addEventListener('click', () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? 'Go on' : 'Pause';
    if (!isPaused) return listen();
    leave();
    say('Paused');
  });
  // A browser has few connections to one address: a page that nobody sees keeps none of them.
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : listen()));
  addEventListener('pagehide', leave);
  addEventListener('pageshow', listen);
  listen();
}

for (const listing of document.querySelectorAll('.listing')) {
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(listing.querySelector('code').textContent);
    copy.textContent = 'Copied';
    setTimeout(() => (copy.textContent = 'Copy'), 2000);
  });
  if (navigator.clipboard) listing.append(copy);
}
`;
