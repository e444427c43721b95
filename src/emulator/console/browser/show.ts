import { morphInner } from 'morphlex';
import { addCopyButtons } from './copy-buttons.js';

function isTyped(node: Element): boolean {
  if (node instanceof HTMLInputElement) return node.value !== node.defaultValue;
  if (!(node instanceof HTMLSelectElement)) return false;
  const initial = [...node.options].findIndex((option) => option.defaultSelected);
  return node.selectedIndex !== Math.max(0, initial);
}

/** Whether an element stays as it is. A focused field may be about to change. */
const isKept = (node: Node): boolean =>
  node instanceof Element && (node.matches('[data-client], :is(input, select):focus') || isTyped(node));

/** Whether a node stays on the page although the new version lacks it. */
const isInUse = (node: Node): boolean =>
  node instanceof Element &&
  (node.matches('[data-client], :focus-within, details[open], :has(details[open])') ||
    [...node.querySelectorAll('input, select')].some(isTyped));

const fadeIn = (node: Node): void => {
  if (node instanceof Element && node.id !== '' && matchMedia('(prefers-reduced-motion: no-preference)').matches)
    node.animate({ opacity: [0, 1] }, 250);
};

/** Show the new version of this page. The scroll position, focus, typed text and open details are kept. */
export function show(now: Document): void {
  const page = document.querySelector('main');
  const fresh = now.querySelector('main#content');
  if (!page || !fresh) return;
  const visible = [...page.querySelectorAll('tr[id], li[id], h2')].find(
    (one) => one.getBoundingClientRect().bottom > 0,
  );
  const before = visible?.getBoundingClientRect().top ?? 0;
  const isReading = scrollY > 0;
  document.title = now.title;
  morphInner(page, fresh, {
    beforeNodeVisited: (node) => !isKept(node),
    beforeNodeRemoved: (node) => !isInUse(node),
    // The server does not know which details are open.
    beforeAttributeUpdated: (_, name, value) => name !== 'open' || value !== null,
    afterNodeAdded: fadeIn,
  });
  addCopyButtons();
  if (isReading && visible?.isConnected) scrollBy(0, visible.getBoundingClientRect().top - before);
}
