/**
 * Script of the console's pages, which also work without it. On a live message, the script fetches the page again and updates its
 * content in place. The scroll position, focus, typed text and open details are kept. Code blocks get a copy button.
 */
export const consoleScript = `
const page = document.querySelector('main');
const bar = document.querySelector('.live');
const state = document.createElement('span');
const button = document.createElement('button');
let source;
let isPaused = false;
let isDue = false;
let isReloading = false;

const defaultOf = (field) => Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
const isTyped = (field) =>
  field.localName === 'select' ? field.selectedIndex !== defaultOf(field) : field.value !== field.defaultValue;
const isInUse = (node) =>
  node.nodeType === Node.ELEMENT_NODE &&
  (node.contains(document.activeElement) ||
    node.matches('[data-client], details[open]') ||
    node.querySelector('details[open]') !== null ||
    [...node.querySelectorAll('input, select')].some(isTyped));

// Get the name that identifies a node among its siblings, even if it moves.
const nameOf = (node) =>
  node.dataset?.id ??
  node.getAttribute?.('aria-label') ??
  node.getAttribute?.('action') ??
  (/^H[1-6]$/.test(node.nodeName) ? node.textContent : undefined);
const named = (nodes) => {
  const all = new Map();
  for (const node of nodes) {
    const name = nameOf(node);
    if (name === undefined) continue;
    let key = node.nodeName + name;
    while (all.has(key)) key += '+';
    all.set(key, node);
  }
  return all;
};

// Update a node to its new version, except for inputs in use.
const update = (old, fresh) => {
  if (old.isEqualNode(fresh) || old.dataset?.client !== undefined) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old === document.activeElement || (old.matches('input, select') && isTyped(old))) return;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  updateChildren(old, fresh);
};

const updateChildren = (old, fresh) => {
  const known = named(old.childNodes);
  const wanted = new Map([...named(fresh.childNodes)].map(([key, node]) => [node, key]));
  let at = old.firstChild;
  const isAhead = (node) => at && (node === at || at.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  const dropUntil = (end) => {
    while (at && at !== end) {
      const node = at;
      at = at.nextSibling;
      if (!isInUse(node)) node.remove();
    }
  };
  for (const node of [...fresh.childNodes]) {
    const key = wanted.get(node);
    const match = key === undefined ? at : known.get(key);
    const isSame =
      match?.parentNode === old && (key !== undefined || (match.nodeName === node.nodeName && nameOf(match) === undefined));
    if (!isSame) {
      old.insertBefore(node, at);
      if (node.dataset?.id && matchMedia('(prefers-reduced-motion: no-preference)').matches)
        node.animate({ opacity: [0, 1] }, 250);
      continue;
    }
    if (isAhead(match)) {
      dropUntil(match);
      at = match.nextSibling;
    }
    update(match, node);
  }
  dropUntil(null);
};

const show = (now) => {
  const fresh = now.querySelector('main#content');
  if (!fresh) return;
  const visible = [...page.querySelectorAll('[data-id], h2')].find((one) => one.getBoundingClientRect().bottom > 0);
  const before = visible?.getBoundingClientRect().top;
  const isReading = scrollY > 0;
  document.title = now.title;
  updateChildren(page, fresh);
  addCopyButtons();
  if (isReading && visible?.isConnected) scrollBy(0, visible.getBoundingClientRect().top - before);
};

const reload = async () => {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    // Remove the style: it has not changed, and its nonce would violate the content security policy of this page.
    const text = (await answer.text()).replace(/<style[^]*?<.style>/, '');
    // A 404 is shown too, because the object may have been deleted.
    if ((answer.ok || answer.status === 404) && !isPaused) show(new DOMParser().parseFromString(text, 'text/html'));
  } catch {
    // The emulator has stopped. The page reloads when it reconnects.
  }
};
const scheduleReload = async () => {
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
};

const showState = (text) => {
  if (state.textContent !== text) state.textContent = text;
  bar.dataset.state = text;
};
const listen = () => {
  if (source || isPaused || document.hidden) return;
  source = new EventSource(bar.dataset.url);
  // Changes before the connection was open are not in the stream.
  source.onopen = () => {
    showState('Live');
    scheduleReload();
  };
  source.onerror = () => {
    showState('Reconnecting');
    if (source?.readyState !== EventSource.CLOSED) return;
    disconnect();
    setTimeout(listen, 2000);
  };
  for (const kind of [...page.dataset.live.split(' '), 'gap']) source.addEventListener(kind, scheduleReload);
};
const disconnect = () => {
  source?.close();
  source = undefined;
};

if (bar) {
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

const addCopyButtons = () => {
  if (!navigator.clipboard) return;
  for (const listing of document.querySelectorAll('.listing:not(:has(> [data-client]))')) {
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.dataset.client = '';
    copy.textContent = 'Copy';
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(listing.querySelector('code').textContent);
      copy.textContent = 'Copied';
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    });
    listing.append(copy);
  }
};
addCopyButtons();
`;
