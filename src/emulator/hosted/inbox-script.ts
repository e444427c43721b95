/**
 * Looks every second whether mail has come, and puts it above what is there, so that whoever reads stays where they are. A
 * page that reloads itself would lose the place, and start again for those who listen to it.
 */
export const inboxScript = `
const list = document.querySelector('.letters');
const look = async () => {
  try {
    const answer = document.hidden ? undefined : await fetch(location.href, { headers: { accept: 'text/html' } });
    if (answer?.ok) {
      const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const letters = [...now.querySelectorAll('.letters > li')];
      const fresh = letters.length - list.children.length;
      if ([...list.children].every((letter, at) => letter.isEqualNode(letters[fresh + at])))
        list.prepend(...letters.slice(0, fresh));
      else list.replaceChildren(...letters);
    }
  } catch {
    // The emulator has stopped; it may come back.
  }
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
`;
