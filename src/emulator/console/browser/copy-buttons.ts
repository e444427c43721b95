/** Add a copy button to each code block that has none. */
export function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  for (const listing of document.querySelectorAll('.listing:not(:has(> [data-client]))')) {
    const copy = document.createElement('button');
    copy.type = 'button';
    copy.dataset.client = '';
    copy.textContent = 'Copy';
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(listing.querySelector('code')?.textContent ?? '');
      copy.textContent = 'Copied';
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 2000);
    });
    listing.append(copy);
  }
}
