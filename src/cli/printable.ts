/** A stranger's text as it goes to the terminal, where it moves no cursor and sets no colour. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '?');
