/**
 * What pages of the console do where JavaScript is there. A page looks at itself again when it hears that something has happened, and
 * becomes what it is then: what is new comes above what is there, and whoever reads keeps their place, the focus, what they have typed, and
 * what they have opened. Listings get a button that copies them.
 */
export const consoleScript = `
const page = document.querySelector('main');
const bar = document.querySelector('.live');
const state = document.createElement('span');
const button = document.createElement('button');
let source;
let isPaused = false;
let isDue = false;
let isLooking = false;

const defaultOf = (field) => Math.max(0, [...field.options].findIndex((option) => option.defaultSelected));
const isTyped = (field) =>
  field.localName === 'select' ? field.selectedIndex !== defaultOf(field) : field.value !== field.defaultValue;
const isHeld = (node) =>
  node.nodeType === Node.ELEMENT_NODE &&
  (node.contains(document.activeElement) ||
    node.matches('[data-own], details[open]') ||
    node.querySelector('details[open]') !== null ||
    [...node.querySelectorAll('input, select')].some(isTyped));

// What is known again wherever it stands among its siblings.
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

// Make a part of the page what it is now, and leave alone what somebody holds.
const become = (old, fresh) => {
  if (old.isEqualNode(fresh) || old.dataset?.own !== undefined) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old === document.activeElement || (old.matches('input, select') && isTyped(old))) return;
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  becomeWithin(old, fresh);
};

const becomeWithin = (old, fresh) => {
  const known = named(old.childNodes);
  const wanted = new Map([...named(fresh.childNodes)].map(([key, node]) => [node, key]));
  let at = old.firstChild;
  const isAhead = (node) => at && (node === at || at.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  const dropUntil = (end) => {
    while (at && at !== end) {
      const node = at;
      at = at.nextSibling;
      if (!isHeld(node)) node.remove();
    }
  };
  for (const node of [...fresh.childNodes]) {
    const key = wanted.get(node);
    const own = key === undefined ? at : known.get(key);
    const isSame = own?.parentNode === old && (key !== undefined || (own.nodeName === node.nodeName && nameOf(own) === undefined));
    if (!isSame) {
      old.insertBefore(node, at);
      if (node.dataset?.id && matchMedia('(prefers-reduced-motion: no-preference)').matches)
        node.animate({ opacity: [0, 1] }, 250);
      continue;
    }
    if (isAhead(own)) {
      dropUntil(own);
      at = own.nextSibling;
    }
    become(own, node);
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
  becomeWithin(page, fresh);
  offerCopies();
  if (isReading && visible?.isConnected) scrollBy(0, visible.getBoundingClientRect().top - before);
};

const look = async () => {
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    // Its style is that of this page, and the policy of this page would complain of it.
    const text = (await answer.text()).replace(/<style[^]*?<.style>/, '');
    // What the page is about may be there no longer.
    if ((answer.ok || answer.status === 404) && !isPaused) show(new DOMParser().parseFromString(text, 'text/html'));
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
  for (const kind of [...page.dataset.live.split(' '), 'gap']) source.addEventListener(kind, soon);
};
const leave = () => {
  source?.close();
  source = undefined;
};

if (bar) {
  state.setAttribute('role', 'status');
  button.type = 'button';
  button.textContent = 'Pause';
  bar.dataset.own = '';
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

const offerCopies = () => {
  if (!navigator.clipboard) return;
  for (const listing of document.querySelectorAll('.listing:not(:has(> [data-own]))')) {
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.dataset.own = '';
    copy.textContent = 'Copy';
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(listing.querySelector('code').textContent);
      copy.textContent = 'Copied';
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    });
    listing.append(copy);
  }
};
offerCopies();
`;
