/** An email address as it is compared: capitals make no difference. */
export const emailKeyOf = (email: string): string => email.trim().toLowerCase();

/** Whether a text can be an email address; what nobody's mail system would take is left to mail systems. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text);
